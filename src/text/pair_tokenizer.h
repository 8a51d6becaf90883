// The two sides of a translation. A Marian directory keeps them apart: each side cuts text by its
// own SentencePiece model and numbers the pieces by vocab.json. Elsewhere one tokenizer is both.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/languages.h"
#include "text/tokenizer.h"

namespace jogak {

// Encoding puts </s> behind the text, on both sides; decoding leaves </s>, <pad> and <unk> out. A
// source may begin with the code of the language wanted, ">>kor<<". Both sides have the roles
// "eos_token", "pad_token" and "unk_token".
struct PairTokenizer {
  Tokenizer source, target;
  bool shared = true;                       // one vocabulary: an id means the same on both sides
  bool one = false;                         // both sides are one tokenizer, in files of its own
  std::optional<LanguageStyle> style = {};  // of a tokenizer of many languages
  PairLanguages languages = {};             // those of the two sides; no target: none said

  // The token of the target's language; -1: there is none.
  int target_language() const;
  // What the decoder reads first: the model's `start`, or the language where that stands behind.
  int start(int of_model) const;
};

// source.spm, target.spm, vocab.json and, with "separate_vocabs" in tokenizer_config.json,
// target_vocab.json; vocab.json and sentencepiece.bpe.model of M2M100; or one tokenizer for both
// sides, whatever its files. Ids and text equal those of transformers' classes. UsageError for
// languages that the tokenizer does not know, or where it knows none.
PairTokenizer load_pair_tokenizer(const std::string& directory, const PairLanguages& asked = {});
bool has_pair_tokenizer(const std::string& directory);

// What MarianTokenizer loads: the files above, tokenizer_config.json, special_tokens_map.json.
void save_pair_tokenizer(const PairTokenizer& pair, const std::string& directory);

struct PairTraining {
  std::string type = "unigram";  // unigram, bpe, or char: one token for each character
  int64_t vocab_size = 8000;  // of each vocabulary, </s>, <unk> and <pad> included; char: at most
  bool shared = true;         // one model for both languages, else one for each
  double coverage = 0.9995;   // share of the characters that get pieces; char: all
  bool normalize = true;      // NFKC and single spaces; off: every character stays as it is
  std::function<void()> alive{};  // called now and then; may throw to stop
};
// Ids are numbered as Marian does it: </s> 0, <unk> 1, the pieces, <pad> last; with a vocabulary
// for each side <pad> is 2, because it must have one id on both.
// Shows its progress when it takes longer than a moment.
PairTokenizer train_pair_tokenizer(std::span<const std::string_view> source,
                                   std::span<const std::string_view> target,
                                   const PairTraining& training);

}  // namespace jogak
