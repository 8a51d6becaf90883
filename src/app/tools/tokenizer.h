// `jogak tokenizer`: trains tokenizers and uses them line by line.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "app/data/line_reader.h"
#include "base/file.h"
#include "base/json.h"
#include "base/lang.h"

namespace jogak {

struct TokenizerTraining {
  std::string type = "bpe";   // char, bpe, wordpiece or unigram
  int64_t vocab_size = 8192;  // char: the most there may be; 0: any number
  int64_t min_frequency = 2;  // bpe, wordpiece: of a pair that is merged
  std::string normalize{};    // nfc, nfkc or none; empty: nfc
  bool metaspace = false;     // bpe: characters with SentencePiece's spaces instead of bytes
  bool lowercase = false;     // wordpiece
  std::vector<std::string> special;
  std::string unk;                 // not bpe: stands for what was not seen
  std::vector<std::string> files;  // plain, .gz or .zst; looked for as data files are
  std::string out;                 // directory
  bool overwrite = false;          // a tokenizer that is there
  Lang lang = Lang::en;
  const std::atomic<bool>* stop = nullptr;
};

struct TrainedTokenizer {
  std::string type, out;
  int vocab_size = 0;
  std::vector<std::pair<std::string, std::string>> roles = {};  // {"eos_token", "</s>"}
};

// Each line of a file is a text of its own; where spaces and line ends are part of tokens, with
// its newline, as in PyPI tokenizers. Special tokens with well-known names get their role:
// <|endoftext|> is the end token. A unigram tokenizer is written as tokenizer.model too. Nothing is
// written before the training is done.
TrainedTokenizer train_tokenizer(const TokenizerTraining& training);
Json to_json(const TrainedTokenizer& trained);  // {"schema","type","vocab_size","out","roles"}
std::vector<std::string> tokenizer_types();
std::vector<std::string> tokenizer_normal_forms();

struct EncodeLines {
  std::string tokenizer;  // a tokenizer.json, a .model or a directory
  bool jsonl = false;     // a JSON string a line instead of plain text
  bool special = true;    // what the tokenizer puts around a text
};
void encode_lines(const EncodeLines& how, LineReader& in, const Sink& out);

struct DecodeLines {
  std::string tokenizer;
  bool jsonl = false;  // JSON arrays in, JSON strings out; otherwise "1 2 3" in, plain text out
  bool keep_special = false;
};
void decode_lines(const DecodeLines& how, LineReader& in, const Sink& out);

}  // namespace jogak
