#include "text/pair_tokenizer.h"

#include <utility>

#include "base/file.h"
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

}  // namespace

bool has_pair_tokenizer(const std::string& directory) {
  return file_exists(join_path(directory, kSource)) ||
         file_exists(join_path(directory, "tokenizer.json"));
}

PairTokenizer load_pair_tokenizer(const std::string& directory) {
  const std::string source = join_path(directory, kSource);
  if (file_exists(source)) return load_marian(directory);
  ensure<MissingError>(file_exists(join_path(directory, "tokenizer.json")), directory,
                       ": no tokenizer of sentence pairs here, wanted source.spm, target.spm and "
                       "vocab.json, or tokenizer.json");
  return {.source = Tokenizer::load(directory), .target = Tokenizer::load(directory)};
}

void save_pair_tokenizer(const PairTokenizer& pair, const std::string& directory) {
  const Tokenizer &source = pair.source, &target = pair.target;
  if (source.spm().empty() || target.spm().empty()) return source.save(directory);
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
