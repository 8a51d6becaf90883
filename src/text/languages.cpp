#include "text/languages.h"

#include <utility>
#include <vector>

#include "base/file.h"
#include "base/suggest.h"

namespace jogak {

std::string LanguageStyle::token(const std::string& language) const {
  return underlined && !language.starts_with("__") ? "__" + language + "__" : language;
}

std::string tokenizer_class_of(const std::string& directory) {
  std::string type;
  for (const char* name : {"tokenizer_config.json", "config.json"}) {
    const std::string file = join_path(directory, name);
    if (!file_exists(file)) continue;
    const Json json = read_json_file(file);
    const Fields fields(json, file);
    if (fields.has("tokenizer_class")) return fields.text("tokenizer_class");
    if (fields.has("model_type")) type = fields.text("model_type");
  }
  constexpr std::pair<const char*, const char*> kUsual[] = {{"xlm-roberta", "XLMRobertaTokenizer"},
                                                            {"mbart", "MBartTokenizer"},
                                                            {"m2m_100", "M2M100Tokenizer"},
                                                            {"roberta", "RobertaTokenizer"},
                                                            {"bart", "BartTokenizer"},
                                                            {"deberta-v2", "DebertaV2Tokenizer"}};
  for (const auto& [model, name] : kUsual)
    if (type == model) return name;
  return "";
}

std::optional<LanguageStyle> language_style(const Json& config, const std::string& file) {
  const Fields fields(config, file);
  if (!fields.has("tokenizer_class")) return {};
  LanguageStyle out{.tokenizer_class = fields.text("tokenizer_class")};
  std::string name = out.tokenizer_class;
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  const bool nllb = name == "NllbTokenizer", mbart = name == "MBartTokenizer",
             m2m = name == "M2M100Tokenizer";
  if (!nllb && !mbart && !m2m && name != "MBart50Tokenizer") return {};
  out.behind = mbart || (nllb && fields.flag_or("legacy_behaviour", false));
  out.underlined = m2m;
  out.usual.source = m2m ? "en" : nllb ? "eng_Latn" : "en_XX";
  out.said = fields.has("src_lang");
  if (out.said) out.usual.source = fields.text("src_lang");
  if (fields.has("tgt_lang")) out.usual.target = fields.text("tgt_lang");
  return out;
}

bool has_language(const Tokenizer& tokenizer, const LanguageStyle& style,
                  const std::string& language) {
  const auto id = tokenizer.token_to_id(style.token(language));
  return id && tokenizer.is_special(*id);
}

int language_id(const Tokenizer& tokenizer, const LanguageStyle& style,
                const std::string& language) {
  if (has_language(tokenizer, style, language))
    return *tokenizer.token_to_id(style.token(language));
  std::vector<std::string> known;
  for (int i = 0; i < tokenizer.vocab_size(); ++i)
    if (const auto token = tokenizer.id_to_token(i); token && tokenizer.is_special(i))
      known.emplace_back(*token);
  fail<UsageError>("found the language ", json_quote(language), ", the tokenizer has no such token",
                   did_you_mean(style.token(language), known));
}

void set_language(Tokenizer& tokenizer, const LanguageStyle& style, const std::string& language) {
  language_id(tokenizer, style, language);
  const auto end = tokenizer.roles().find("eos_token");
  ensure<FormatError>(end != tokenizer.roles().end(),
                      "the tokenizer has no end token (eos_token), which languages need");
  const std::string token = style.token(language);
  if (style.behind)
    tokenizer.surround({}, {end->second, token});
  else
    tokenizer.surround({token}, {end->second});
}

}  // namespace jogak
