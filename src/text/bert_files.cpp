#include "text/bert_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/utf8.h"
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

using text::AddedToken;
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

// A token as text, or with all its settings.
AddedToken token_of(const Json& value, const Fields& from, std::string_view key) {
  AddedToken token;
  token.special = true;
  if (value.is_string()) {
    token.content = value.text();
    return token;
  }
  if (!value.is_object()) from.wrong(value, key, "a token");
  const Fields fields(value, from.file());
  token.content = fields.text("content");
  token.single_word = fields.flag_or("single_word", false);
  token.lstrip = fields.flag_or("lstrip", false);
  token.rstrip = fields.flag_or("rstrip", false);
  token.special = fields.flag_or("special", true);
  token.normalized = fields.flag_or("normalized", false);
  return token;
}

// Finds added tokens in the files and gives each the id it has or the next one.
class BertTokens {
 public:
  BertTokens(const text::Vocab& vocab, TokenizerParts& parts, std::string vocab_path)
      : vocab_(vocab), parts_(parts), vocab_path_(std::move(vocab_path)) {
    for (const auto& [role, token] :
         {std::pair("unk_token", "[UNK]"), std::pair("sep_token", "[SEP]"),
          std::pair("pad_token", "[PAD]"), std::pair("cls_token", "[CLS]"),
          std::pair("mask_token", "[MASK]")})
      set_role(role, {.content = token, .special = true});
  }

  // The tokens with roles and the further special ones of a file; later files count more.
  void read_special(const Fields& fields) {
    for (const char* role : kTokenRoles)
      if (fields.has(role)) set_role(role, token_of(fields.at(role), fields, role));
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"})
      if (fields.has(key))
        for (const Json& one : fields.list(key)) extra_.push_back(token_of(one, fields, key));
  }

  // {"30000": {"content": ...}, ...} of tokenizer_config.json
  void read_decoder(const Fields& fields) {
    for (const auto& [key, value] : fields.json().members()) {
      int id = -1;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
      if (error != std::errc() || end != key.data() + key.size() || id < 0)
        fields.wrong(value, "added_tokens_decoder", "an id for its key instead of " + shown(key));
      AddedToken token = token_of(value, fields, key);
      const Fields settings(value, fields.file());
      token.id = id;
      token.special = settings.flag_or("special", false) || has_role(token.content);
      token.normalized = settings.flag_or("normalized", !token.special);
      listed_.push_back(std::move(token));
    }
  }

  // {"token": id, ...} of added_tokens.json
  void read_added(const Fields& fields) {
    for (const auto& [content, value] : fields.json().members()) {
      const auto id = static_cast<int>(fields.integer(content, {0, INT32_MAX}));
      const bool special = has_role(content) || is_extra(content);
      listed_.push_back({.id = id, .content = content, .normalized = !special, .special = special});
    }
  }

  // In the order of the reference: those with ids, those with roles, the further special ones.
  void add_all() {
    std::sort(listed_.begin(), listed_.end(),
              [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
    for (const AddedToken& token : listed_) {
      const int given = id_of(token.content);
      ensure<FormatError>(token.id == given, vocab_path_, ": byte 0: found ", given, " for ",
                          shown(token.content), ", wanted its id ", token.id,
                          " of the list of added tokens");
      add(token);
    }
    for (const char* role : kTokenRoles)
      if (const auto found = roles_.find(role); found != roles_.end()) add(found->second);
    for (const AddedToken& token : extra_) add(token);
    for (const auto& [role, token] : roles_) parts_.roles[role] = token.content;
  }

  const std::string& content(const char* role) const { return roles_.at(role).content; }
  SpecialToken special(const char* role) const {
    return {parts_.added.find(content(role))->id, content(role)};
  }

 private:
  bool has_role(const std::string& content) const {
    return std::any_of(roles_.begin(), roles_.end(),
                       [&](const auto& role) { return role.second.content == content; });
  }
  bool is_extra(const std::string& content) const {
    return std::any_of(extra_.begin(), extra_.end(),
                       [&](const AddedToken& token) { return token.content == content; });
  }
  void set_role(const char* role, AddedToken token) {
    token.special = true;
    roles_[role] = std::move(token);
  }
  int id_of(const std::string& content) const {
    const int known = vocab_.find(content);
    return known >= 0 ? known : static_cast<int>(vocab_.count()) + fresh_;
  }
  void add(AddedToken token) {
    if (parts_.added.find(token.content)) return;
    token.id = id_of(token.content);
    fresh_ += vocab_.find(token.content) < 0;
    parts_.added.add(std::move(token), vocab_, vocab_path_);
  }

  const text::Vocab& vocab_;
  TokenizerParts& parts_;
  std::string vocab_path_;
  std::map<std::string, AddedToken> roles_;
  std::vector<AddedToken> listed_, extra_;
  int fresh_ = 0;  // tokens that the vocabulary does not have
};

Json read_if_there(const std::string& path) {
  return file_exists(path) ? read_json_file(path) : Json::object();
}

}  // namespace

Tokenizer Tokenizer::load_bert(const std::string& vocab_path) {
  const std::string folder = vocab_path.substr(0, vocab_path.size() - file_name(vocab_path).size());
  const std::string config_path = folder + "tokenizer_config.json";
  const Json config_json = read_if_there(config_path);
  const Fields config(config_json, config_path);
  check_class(config);
  const MappedFile file(vocab_path);
  text::Vocab vocab = text::read_vocab_lines(file.text(), vocab_path);
  TokenizerParts parts;
  BertTokens tokens(vocab, parts, vocab_path);
  tokens.read_special(config);
  if (config.has("added_tokens_decoder")) {
    tokens.read_decoder(config.object("added_tokens_decoder"));
  } else {  // older directories say it in files of their own
    for (const bool added : {false, true}) {
      const std::string path = folder + (added ? "added_tokens.json" : "special_tokens_map.json");
      const Json json = read_if_there(path);
      added ? tokens.read_added(Fields(json, path)) : tokens.read_special(Fields(json, path));
    }
  }
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
