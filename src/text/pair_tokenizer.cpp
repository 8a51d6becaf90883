#include "text/pair_tokenizer.h"

#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "text/spm/m2m_files.h"
#include "text/spm/marian_files.h"
#include "text/tokenizer_parts.h"

namespace jogak {
namespace {

constexpr const char *kSource = "source.spm", *kTarget = "target.spm", *kVocab = "vocab.json",
                     *kTargetVocab = "target_vocab.json", *kConfig = "tokenizer_config.json",
                     *kSpecial = "special_tokens_map.json";

PairTokenizer load_marian(const std::string& directory) {
  const auto path = [&](const char* name) { return join_path(directory, name); };
  Json config = file_exists(path(kConfig)) ? read_json_file(path(kConfig)) : Json::object();
  const bool separate = Fields(config, path(kConfig)).flag_or("separate_vocabs", false);
  text::MarianTokens tokens = text::MarianTokens::read(config, path(kConfig));
  if (file_exists(path(kSpecial))) {  // what the configuration says goes before it
    const auto roles = read_roles(read_json_file(path(kSpecial)), path(kSpecial));
    for (const auto& [role, token] : roles)
      if (!config.find(role)) config.set(role, token);
    tokens = text::MarianTokens::read(config, path(kConfig));
  }
  const auto vocab = [&](const char* name) {
    const MappedFile file(path(name));
    return text::Vocab::read(JsonDocument(file.text(), path(name)).root());
  };
  const std::string source = read_file(path(kSource)), target = read_file(path(kTarget));
  // With one vocabulary MarianTokenizer decodes by source.spm unless told otherwise.
  const char* const target_vocab = separate ? kTargetVocab : kVocab;
  return {.source = text::make_marian_side({source, source, vocab(kVocab), tokens}, path(kSource),
                                           path(kVocab)),
          .target = text::make_marian_side(
              {target, separate ? target : source, vocab(target_vocab), tokens}, path(kTarget),
              path(target_vocab)),
          .shared = !separate};
}

void write_json(const std::string& path, const Json& json) {
  write_file(path, json.dump(2) + "\n");
}

Json vocab_json(const Tokenizer& side) {
  std::vector<Json::Member> members;
  for (int id = 0; id < side.vocab_size(); ++id)
    if (const auto token = side.id_to_token(id)) members.emplace_back(std::string(*token), id);
  return Json::object(std::move(members));
}

// T5's own: sentinels behind the pieces, and an end behind each text.
Tokenizer load_t5(const std::string& path, const Json& config, const std::string& config_file) {
  const int64_t extra = Fields(config, config_file).integer_or("extra_ids", 100, {0, 1 << 16});
  std::vector<std::string> names;
  for (int64_t i = extra - 1; i >= 0; --i) names.push_back(text_of("<extra_id_", i, ">"));
  Tokenizer out = Tokenizer::from_spm(read_file(path), path, names);
  out.surround({}, {"</s>"});
  return out;
}

Json config_of(const std::string& directory) {
  const std::string file = join_path(directory, kConfig);
  Json config = file_exists(file) ? read_json_file(file) : Json::object();
  if (config.find("tokenizer_class")) return config;
  if (const std::string own = tokenizer_class_of(directory); !own.empty())
    config.set("tokenizer_class", own);
  return config;
}

bool is_m2m(const std::optional<LanguageStyle>& style, const std::string& directory) {
  return style && style->underlined && file_exists(join_path(directory, text::kM2mModel)) &&
         file_exists(join_path(directory, text::kM2mVocab));
}

Tokenizer load_one(const std::string& directory, const std::optional<LanguageStyle>& style,
                   const Json& config) {
  if (is_m2m(style, directory)) return text::load_m2m(directory);
  const std::vector<std::string> files = tokenizer_files(directory);
  ensure<MissingError>(!files.empty(), directory,
                       ": no tokenizer of sentence pairs here, wanted source.spm, target.spm and "
                       "vocab.json, or tokenizer.json");
  // The name is T5's habit; a fast tokenizer beside it says more.
  if (files[0] == "spiece.model")
    return load_t5(join_path(directory, files[0]), config, join_path(directory, kConfig));
  return Tokenizer::load(directory);
}

void save_m2m(const PairTokenizer& pair, const std::string& directory) {
  make_directories(directory);
  write_file(join_path(directory, text::kM2mModel), pair.source.spm());
  std::vector<Json::Member> members;  // languages stand behind, and are no part of it
  for (int id = 0; id < pair.source.vocab_size(); ++id) {
    const auto token = pair.source.id_to_token(id);
    if (token && !(token->starts_with("__") && pair.source.is_special(id)))
      members.emplace_back(std::string(*token), id);
  }
  write_json(join_path(directory, text::kM2mVocab), Json::object(std::move(members)));
  Json config = Json::object();
  for (const auto& [role, token] : pair.source.roles()) config.set(role, token);
  write_json(join_path(directory, kConfig), config);
}

// transformers finds the class and the languages in it again.
void keep_languages(const PairTokenizer& pair, const std::string& directory) {
  const std::string file = join_path(directory, kConfig);
  Json config = read_json_file(file);
  config.set("tokenizer_class", pair.style->tokenizer_class);
  config.set("src_lang", pair.languages.source);
  config.set("tgt_lang", pair.languages.target.empty() ? Json() : Json(pair.languages.target));
  if (pair.style->tokenizer_class.starts_with("Nllb"))
    config.set("legacy_behaviour", pair.style->behind);
  write_json(file, config);
}

}  // namespace

int PairTokenizer::target_language() const {
  return style && !languages.target.empty() ? language_id(target, *style, languages.target) : -1;
}

int PairTokenizer::start(int of_model) const {
  return style && style->behind && !languages.target.empty() ? target_language() : of_model;
}

bool has_pair_tokenizer(const std::string& directory) {
  return file_exists(join_path(directory, kSource)) || !tokenizer_files(directory).empty();
}

PairTokenizer load_pair_tokenizer(const std::string& directory, const PairLanguages& asked) {
  const bool marian = file_exists(join_path(directory, kSource));
  const Json config = config_of(directory);
  const auto style = language_style(config, join_path(directory, kConfig));
  ensure<UsageError>((style && !marian) || (asked.source.empty() && asked.target.empty()),
                     directory, ": its tokenizer does not tell languages apart, found ",
                     json_quote(asked.source.empty() ? asked.target : asked.source));
  if (marian) return load_marian(directory);
  PairTokenizer out{.source = load_one(directory, style, config),
                    .target = load_one(directory, style, config),
                    .one = true};
  if (!style) return out;
  // What the class takes for granted may be missing where a vocabulary is of another kind.
  const bool named = style->said || !asked.source.empty() || !asked.target.empty();
  if (!named && !has_language(out.source, *style, style->usual.source)) {
    log_info(directory, ": the vocabulary has no languages, texts are read without them");
    return out;
  }
  out.style = style;
  out.languages = {asked.source.empty() ? style->usual.source : asked.source,
                   asked.target.empty() ? style->usual.target : asked.target};
  set_language(out.source, *style, out.languages.source);
  set_language(out.target, *style,
               out.languages.target.empty() ? out.languages.source : out.languages.target);
  return out;
}

void save_pair_tokenizer(const PairTokenizer& pair, const std::string& directory) {
  const Tokenizer &source = pair.source, &target = pair.target;
  if (pair.style) {
    if (pair.style->underlined && !source.spm().empty())
      save_m2m(pair, directory);
    else
      source.save(directory);
    return keep_languages(pair, directory);
  }
  if (pair.one || source.spm().empty() || target.spm().empty()) return source.save(directory);
  make_directories(directory);
  const auto path = [&](const char* name) { return join_path(directory, name); };
  write_file(path(kSource), source.spm());
  write_file(path(kTarget), target.spm());
  write_json(path(kVocab), vocab_json(source));
  if (!pair.shared) write_json(path(kTargetVocab), vocab_json(target));
  Json roles = Json::object(), config = Json::object({{"tokenizer_class", "MarianTokenizer"}});
  for (const auto& [role, token] : source.roles()) roles.set(role, token), config.set(role, token);
  config.set("separate_vocabs", !pair.shared).set("model_max_length", 512);
  config.set("source_lang", Json()).set("target_lang", Json());
  write_json(path(kConfig), config.set("clean_up_tokenization_spaces", false));
  write_json(path(kSpecial), roles);
}

}  // namespace jogak
