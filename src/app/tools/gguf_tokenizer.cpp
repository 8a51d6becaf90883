#include "app/tools/gguf_tokenizer.h"

#include <utility>
#include <vector>

#include "base/file.h"
#include "text/spm/write.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

constexpr char kTokenTexts[] = "tokenizer.ggml.tokens", kTokenScores[] = "tokenizer.ggml.scores",
               kTokenKinds[] = "tokenizer.ggml.token_type",
               kTokenMerges[] = "tokenizer.ggml.merges", kTokenizerKind[] = "tokenizer.ggml.model",
               kTokenCut[] = "tokenizer.ggml.pre";
enum TokenKind : int64_t { kNormal = 1, kControl = 3, kUserDefined = 4, kLastKind = 6 };

// One list for each token; `otherwise` for all where the file has none.
std::vector<Json> token_list(const GgufFile& file, const char* key, Json::Kind kind,
                             Json otherwise) {
  const size_t count = file.list(kTokenTexts, Json::Kind::string).size();
  if (!file.has(key)) return std::vector<Json>(count, otherwise);
  std::vector<Json> out = file.list(key, kind);
  if (out.size() != count) file.wrong(key, text_of("one item for each of ", count, " tokens"));
  return out;
}

std::vector<int64_t> token_kinds(const GgufFile& file) {
  std::vector<int64_t> out;
  for (const Json& kind : token_list(file, kTokenKinds, Json::Kind::integer, int64_t{kNormal})) {
    if (kind.integer() < kNormal || kind.integer() > kLastKind)
      file.wrong(kTokenKinds, "kinds from 1 to 6");
    out.push_back(kind.integer());
  }
  return out;
}

// Roles as transformers calls them, where the file names one.
std::vector<std::pair<std::string, int64_t>> roles_of(const GgufFile& file) {
  const auto last = static_cast<int64_t>(file.list(kTokenTexts, Json::Kind::string).size()) - 1;
  std::vector<std::pair<std::string, int64_t>> out;
  for (const auto& [role, key] :
       {std::pair("bos_token", "bos"), std::pair("eos_token", "eos"),
        std::pair("unk_token", "unknown"), std::pair("pad_token", "padding")})
    if (const std::string name = text_of("tokenizer.ggml.", key, "_token_id"); file.has(name))
      out.emplace_back(role, file.integer(name, {0, last}));
  return out;
}

std::string role_text(const GgufFile& file, const std::string& role, const char* otherwise) {
  for (const auto& [name, id] : roles_of(file))
    if (name == role)
      return file.list(kTokenTexts, Json::Kind::string)[static_cast<size_t>(id)].text();
  return otherwise;
}

// Tokens around every text, as the file says.
Json template_of(const GgufFile& file, bool starts) {
  Json single = Json::array(), pair = Json::array(), special = Json::object();
  const auto put = [&](const char* flag, const char* role, bool otherwise) {
    const std::string token = role_text(file, role, "");
    if (token.empty() || !file.flag_or(flag, otherwise)) return;
    const auto item = [&](int type) {
      Json one = Json::object();
      one.set("id", token).set("type_id", type);
      return Json::object().set("SpecialToken", one);
    };
    single.push(item(0)), pair.push(item(0));
    for (const auto& [name, id] : roles_of(file))
      if (name == role)
        special.set(token, Json::object()
                               .set("id", token)
                               .set("ids", Json::array({id}))
                               .set("tokens", Json::array({token})));
  };
  const auto text = [](const char* id, int type) {
    Json one = Json::object();
    one.set("id", id).set("type_id", type);
    return Json::object().set("Sequence", one);
  };
  put("tokenizer.ggml.add_bos_token", "bos_token", starts);
  single.push(text("A", 0)), pair.push(text("A", 0)), pair.push(text("B", 1));
  put("tokenizer.ggml.add_eos_token", "eos_token", false);
  if (special.members().empty()) return Json();
  Json out = Json::object();
  out.set("type", "TemplateProcessing").set("single", single).set("pair", pair);
  return out.set("special_tokens", special);
}

// SentencePiece's BPE, which llama.cpp calls "llama".
Json spm_json(const GgufFile& file) {
  text::SpmFile spm{.type = text::SpmType::bpe, .byte_fallback = true};
  const std::vector<Json>& tokens = file.list(kTokenTexts, Json::Kind::string);
  const std::vector<Json> scores = token_list(file, kTokenScores, Json::Kind::number, 0.0);
  const std::vector<int64_t> kinds = token_kinds(file);
  for (size_t i = 0; i < tokens.size(); ++i)
    spm.pieces.push_back({tokens[i].text(), static_cast<float>(scores[i].number()),
                          static_cast<text::SpmKind>(kinds[i])});
  spm.unk_piece = role_text(file, "unk_token", "<unk>");
  spm.bos_piece = role_text(file, "bos_token", "<s>");
  spm.eos_piece = role_text(file, "eos_token", "</s>");
  spm.pad_piece = role_text(file, "pad_token", "<pad>");
  spm.normalizing.add_dummy_prefix = file.flag_or("tokenizer.ggml.add_space_prefix", true);
  spm.normalizing.remove_extra_whitespaces =
      file.flag_or("tokenizer.ggml.remove_extra_whitespaces", false);
  const std::string json = Tokenizer::from_spm(text::write_spm(spm), file.path()).to_json();
  return parse_json(json, file.path()).set("post_processor", template_of(file, true));
}

struct Cut {                       // how a byte-level BPE cuts text before it merges
  std::vector<const char*> names;  // of llama.cpp
  const char* pattern;             // null: GPT-2's own
  bool composed = false;           // NFC first
  bool whole_words = false;        // a word that is a token is not built from merges
  bool digits = false;             // each by itself
};

constexpr char kThreeDigits[] =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
constexpr char kOneDigit[] =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

const Cut& cut_of(const GgufFile& file) {
  static const std::vector<Cut> cuts = {
      {{"gpt-2", "default", "olmo"}, nullptr},
      {{"llama-bpe", "llama3", "llama-v3"}, kThreeDigits, false, true},
      {{"dbrx", "smaug-bpe"}, kThreeDigits},
      {{"qwen2", "deepseek-r1-qwen"}, kOneDigit, true},
      {{"smollm"}, nullptr, false, false, true},
  };
  const std::string name = file.text_or(kTokenCut, "default");
  std::string known;
  for (const Cut& cut : cuts)
    for (const char* one : cut.names) {
      if (name == one) return cut;
      known += (known.empty() ? "" : ", ") + std::string(one);
    }
  file.wrong(kTokenCut, "one of " + known);
}

Json byte_level(bool own_pattern) {
  Json out = Json::object();
  out.set("type", "ByteLevel").set("add_prefix_space", false).set("trim_offsets", true);
  return out.set("use_regex", own_pattern);
}

Json pre_tokenizer_of(const Cut& cut) {
  if (!cut.pattern && !cut.digits) return byte_level(true);
  Json first = Json::object();
  if (cut.digits)
    first.set("type", "Digits").set("individual_digits", true);
  else
    first.set("type", "Split")
        .set("pattern", Json::object().set("Regex", cut.pattern))
        .set("behavior", "Isolated")
        .set("invert", false);
  Json out = Json::object();
  out.set("type", "Sequence");
  return out.set("pretokenizers", Json::array({first, byte_level(cut.digits)}));
}

Json added_token(int64_t id, const std::string& text, bool special) {
  Json out = Json::object();
  out.set("id", id).set("content", text).set("single_word", false).set("lstrip", false);
  return out.set("rstrip", false).set("normalized", false).set("special", special);
}

// Byte-level BPE, which llama.cpp calls "gpt2".
Json bpe_json(const GgufFile& file) {
  const Cut& cut = cut_of(file);
  const std::vector<Json>& tokens = file.list(kTokenTexts, Json::Kind::string);
  const std::vector<int64_t> kinds = token_kinds(file);
  std::vector<Json::Member> vocab;
  Json added = Json::array();
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto id = static_cast<int64_t>(i);
    vocab.emplace_back(tokens[i].text(), id);
    if (kinds[i] == kControl || kinds[i] == kUserDefined)
      added.push(added_token(id, tokens[i].text(), kinds[i] == kControl));
  }
  Json model = Json::object();
  model.set("type", "BPE").set("dropout", Json()).set("unk_token", Json());
  model.set("continuing_subword_prefix", "").set("end_of_word_suffix", "").set("fuse_unk", false);
  model.set("byte_fallback", false).set("ignore_merges", cut.whole_words);
  model.set("vocab", Json::object(std::move(vocab)));
  model.set("merges", Json::array(file.list(kTokenMerges, Json::Kind::string)));
  Json out = Json::object();
  out.set("version", "1.0").set("truncation", Json()).set("padding", Json());
  out.set("added_tokens", added);
  out.set("normalizer", cut.composed ? Json::object().set("type", "NFC") : Json());
  out.set("pre_tokenizer", pre_tokenizer_of(cut));
  out.set("post_processor", template_of(file, false)).set("decoder", byte_level(true));
  return out.set("model", std::move(model));
}

}  // namespace

void write_gguf_tokenizer(const GgufFile& file, const std::string& directory) {
  const std::string& kind = file.text(kTokenizerKind);
  if (kind != "llama" && kind != "gpt2") file.wrong(kTokenizerKind, "\"llama\" or \"gpt2\"");
  const Json json = kind == "llama" ? spm_json(file) : bpe_json(file);
  Tokenizer tokenizer = Tokenizer::from_json(json.dump(), file.path());
  const std::vector<Json>& tokens = file.list(kTokenTexts, Json::Kind::string);
  for (const auto& [role, id] : roles_of(file))
    tokenizer.set_role(role, tokens[static_cast<size_t>(id)].text());
  tokenizer.save(directory);
  if (!file.has("tokenizer.chat_template")) return;
  const std::string path = join_path(directory, "tokenizer_config.json");
  Json config = read_json_file(path);
  config.set("chat_template", file.text("tokenizer.chat_template"));
  write_file(path, config.dump(2) + "\n");
}

}  // namespace jogak
