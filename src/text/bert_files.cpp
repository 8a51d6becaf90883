#include "text/bert_files.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/utf8.h"
#include "text/listed_tokens.h"
#include "text/models/word_piece.h"
#include "text/reading.h"
#include "text/tokenizer.h"
#include "text/tokenizer_parts.h"
#include "text/unicode/unicode.h"

namespace jogak {

namespace text {

Vocab read_vocab_lines(std::string_view text, const std::string& file) {
  const size_t bad = utf8::first_invalid(text);
  ensure<FormatError>(bad == std::string_view::npos, file, ": byte ", bad,
                      ": found a byte that is not UTF-8, wanted UTF-8 text");
  ensure<FormatError>(!text.empty(), file, ": byte 0: found no tokens, wanted one a line");
  if (text.ends_with('\n')) text.remove_suffix(1);
  int64_t id = std::count(text.begin(), text.end(), '\n');
  ensure<FormatError>(id < INT32_MAX, file, ": byte 0: found ", id, " lines, wanted less than ",
                      INT32_MAX);
  Vocab vocab;
  int64_t again = 0;
  for (size_t end = text.size();; --id) {  // from the last line, because the last id counts
    const size_t cut = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const size_t start = cut == std::string_view::npos ? 0 : cut + 1;
    std::string_view line = text.substr(start, end - start);
    line.remove_suffix(trailing_space(line));
    if (!vocab.try_add(line, static_cast<int>(id)) && ++again > Vocab::kMaxGap)
      fail<FormatError>(file, ": byte ", start, ": found ", shown(line), " again, and more than ",
                        Vocab::kMaxGap, " lines like that, wanted different tokens");
    if (cut == std::string_view::npos) return vocab;
    end = cut;
  }
}

}  // namespace text

namespace {

using text::shown;

// Others that have a vocab.txt cut words in ways of their own.
constexpr std::array kClasses = {"BertTokenizer",
                                 "DistilBertTokenizer",
                                 "ElectraTokenizer",
                                 "MobileBertTokenizer",
                                 "ConvBertTokenizer",
                                 "SqueezeBertTokenizer",
                                 "LayoutLMTokenizer",
                                 "LxmertTokenizer",
                                 "DPRReaderTokenizer",
                                 "DPRContextEncoderTokenizer",
                                 "DPRQuestionEncoderTokenizer"};

void check_class(const Fields& config) {
  if (!config.has("tokenizer_class")) return;
  std::string name = config.text("tokenizer_class");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  if (std::find(kClasses.begin(), kClasses.end(), name) == kClasses.end())
    config.wrong(config.at("tokenizer_class"), "tokenizer_class",
                 "BertTokenizer or one that works like it: vocab.txt is read as BERT's");
}

}  // namespace

Tokenizer Tokenizer::load_bert(const std::string& vocab_path) {
  const std::string folder = vocab_path.substr(0, vocab_path.size() - file_name(vocab_path).size());
  const std::string config_path = folder + "tokenizer_config.json";
  const Json config_json = text::read_if_there(config_path);
  const Fields config(config_json, config_path);
  check_class(config);
  const MappedFile file(vocab_path);
  text::Vocab vocab = text::read_vocab_lines(file.text(), vocab_path);
  TokenizerParts parts;
  text::ListedTokens tokens(vocab, parts, vocab_path,
                            {{"unk_token", "[UNK]"},
                             {"sep_token", "[SEP]"},
                             {"pad_token", "[PAD]"},
                             {"cls_token", "[CLS]"},
                             {"mask_token", "[MASK]"}});
  tokens.read_folder(folder, config);
  const std::string& unk = tokens.content("unk_token");
  ensure<FormatError>(vocab.find(unk) >= 0, vocab_path, ": byte 0: found no ", shown(unk),
                      ", wanted a line with it: it stands for unknown words");
  tokens.add_all();
  const bool lowercase = config.flag_or("do_lower_case", true);
  parts.normalizer =
      text::make_bert_normalizer({.spaced_chinese = config.flag_or("tokenize_chinese_chars", true),
                                  .strip_accents = config.flag_or("strip_accents", lowercase),
                                  .lowercase = lowercase},
                                 config.has("strip_accents"));
  parts.pre_tokenizer = text::make_bert_pre_tokenizer();
  parts.post_processor =
      text::make_bert_template(tokens.special("cls_token"), tokens.special("sep_token"));
  parts.decoder = text::make_word_piece_decoder("##", true);
  parts.model =
      std::make_unique<text::WordPiece>(std::move(vocab), text::WordPieceOptions{.unk_token = unk});
  return Tokenizer(std::move(parts));
}

}  // namespace jogak
