#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "text/bert_files.h"
#include "text/beside.h"
#include "text/gpt2_files.h"
#include "text/languages.h"
#include "text/reading.h"
#include "text/spm/deberta_files.h"
#include "text/spm/fairseq_files.h"
#include "text/spm/file.h"
#include "text/spm/tokenizer.h"
#include "text/tokenizer.h"
#include "text/tokenizer_parts.h"

namespace jogak {
namespace {

// Reads a component that may be missing or null.
template <class Component>
std::unique_ptr<Component> read_optional(const Fields& fields, const char* key) {
  return fields.has(key) ? Component::read(fields.at(key), fields.file()) : nullptr;
}

template <class Component>
Json optional_json(const std::unique_ptr<Component>& component) {
  return component ? component->to_json() : Json();
}

TokenizerParts read_parts(const Fields& fields, const JsonView& document) {
  text::only_keys(fields, {"version", "truncation", "padding", "added_tokens", "normalizer",
                           "pre_tokenizer", "post_processor", "decoder"});
  if (fields.has("version") && fields.text("version") != "1.0")
    fields.wrong(fields.at("version"), "version", "\"1.0\"");
  TokenizerParts parts;
  if (fields.has("truncation"))
    parts.truncation = text::Truncation::read(fields.at("truncation"), fields.file());
  if (fields.has("padding"))
    parts.padding = text::Padding::read(fields.at("padding"), fields.file());
  parts.normalizer = read_optional<text::Normalizer>(fields, "normalizer");
  parts.pre_tokenizer = read_optional<text::PreTokenizer>(fields, "pre_tokenizer");
  const bool bytes = parts.pre_tokenizer && parts.pre_tokenizer->makes_bytes();
  const auto model = document.find("model");
  ensure<FormatError>(model.has_value(), fields.file(), ": byte ", document.offset(),
                      ": key \"model\" is missing");
  parts.model = text::Model::read(*model, bytes);
  parts.post_processor = read_optional<text::PostProcessor>(fields, "post_processor");
  parts.decoder = read_optional<text::Decoder>(fields, "decoder");
  if (fields.has("added_tokens"))
    parts.added =
        text::AddedTokens::read(fields.at("added_tokens"), parts.model->vocab(), fields.file());
  return parts;
}

Tokenizer load_files(const std::string& directory, const std::vector<std::string>& files) {
  const std::string path = join_path(directory, files[0]);
  if (files.size() > 1) return Tokenizer::load_gpt2(path, join_path(directory, files[1]));
  const std::string kind = tokenizer_class_of(directory);
  if (files[0] == text::kFairseqModel && text::is_fairseq(kind))
    return text::load_fairseq(directory, kind);
  if (files[0] == text::kDebertaModel && kind.starts_with("DebertaV2Tokenizer"))
    return text::load_deberta(directory);
  return Tokenizer::load(path);
}

// What stands around a text, where no tokenizer.json says it.
void surround_as_told(Tokenizer& out, const Fields& config) {
  std::vector<std::string> before, after;
  const auto add = [&](const char* key, const char* role, std::vector<std::string>& to) {
    const auto token = out.roles().find(role);
    if (config.flag_or(key, false) && token != out.roles().end()) to.push_back(token->second);
  };
  add("add_bos_token", "bos_token", before), add("add_eos_token", "eos_token", after);
  if (!before.empty() || !after.empty()) out.surround(before, after);
}

// "auto_map" may name a tokenizer of the directory's own, in Python.
void tell_of_code(const Fields& config, const std::string& read) {
  if (!config.has("auto_map") || !config.at("auto_map").is_object()) return;
  const Json* const named = config.at("auto_map").find("AutoTokenizer");
  if (!named) return;
  log_info(config.file(), ": \"auto_map\" asks for ", named->dump(), ", remote code is not run; ",
           read, " is read");
}

Tokenizer load_directory(const std::string& directory) {
  const std::vector<std::string> files = tokenizer_files(directory);
  ensure<MissingError>(!files.empty(), directory,
                       ": no tokenizer here, wanted tokenizer.json, tokenizer.model, vocab.txt or "
                       "vocab.json with merges.txt");
  const bool bert = files[0] == text::kBertVocabName;
  Tokenizer out = load_files(directory, files);
  const std::string config = join_path(directory, "tokenizer_config.json");
  if (!file_exists(config)) return out;
  const Json json = read_json_file(config);
  if (!bert)  // there the roles stand in more places, and have been read
    for (const auto& [role, token] : read_roles(json, config)) out.set_role(role, token);
  const Fields fields(json, config);
  tell_of_code(fields, files[0]);
  if (files[0] != "tokenizer.json") surround_as_told(out, fields);
  // Those without a limit write 10^30 there.
  const double most = fields.number_or("model_max_length", INFINITY);
  if (most >= 1 && most <= INT32_MAX) out.set_max_length(static_cast<int64_t>(most));
  return out;
}

}  // namespace

std::vector<std::string> tokenizer_files(const std::string& directory) {
  const auto there = [&](const char* name) { return file_exists(join_path(directory, name)); };
  if (there("tokenizer.json")) return {"tokenizer.json"};
  for (const auto& [vocab, merges] : text::kGpt2FileNames)
    if (there(vocab) && there(merges)) return {vocab, merges};
  for (const char* name : text::kSpmNames)
    if (there(name)) return {name};
  if (there(text::kBertVocabName)) return {text::kBertVocabName};
  return {};
}

const std::vector<std::string>& tokenizer_file_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = {"tokenizer.json", "tokenizer_config.json"};
    for (const auto& [vocab, merges] : text::kGpt2FileNames) out.insert(out.end(), {vocab, merges});
    out.emplace_back(text::kBertVocabName);
    for (const char* name : text::kSpmNames) out.emplace_back(name);
    for (const char* name : {"source.spm", "target.spm", "target_vocab.json"})
      out.emplace_back(name);
    return out;
  }();
  return names;
}

Tokenizer Tokenizer::from_json(std::string_view json, const std::string& name) {
  const JsonDocument document(json, name);
  const Json rest = document.root().to_json({"model"});
  TokenizerParts parts = read_parts(Fields(rest, name), document.root());
  try {  // added tokens go through the normalizer, which may make too much of them
    return Tokenizer(std::move(parts));
  } catch (const FormatError& error) {
    const Json* added = rest.find("added_tokens");
    fail<FormatError>(name, ": byte ", added ? added->offset() : 0,
                      ": \"added_tokens\": ", error.what());
  }
}

Tokenizer Tokenizer::load(const std::string& path) {
  if (is_directory(path)) return load_directory(path);
  if (file_name(path) == text::kBertVocabName) return load_bert(path);
  if (path.ends_with(".model") || path.ends_with(".spm")) return from_spm(read_file(path), path);
  const MappedFile file(path);
  if (!path.ends_with(".json") && text::looks_like_spm(file.text()))
    return from_spm(read_file(path), path);
  Tokenizer out = from_json(file.text(), path);
  if (file_name(path) == "tokenizer.json")
    text::check_beside(std::filesystem::path(path).parent_path(),
                       optional_json(out.parts_->normalizer),
                       [&out](const std::string& token) { return out.token_to_id(token); });
  return out;
}

std::map<std::string, std::string> read_roles(const Json& config, const std::string& file) {
  const Fields fields(config, file);
  std::map<std::string, std::string> roles;
  for (const char* role : kTokenRoles) {
    if (!fields.has(role)) continue;
    // Older files write the whole added token instead of its text.
    roles[role] =
        fields.at(role).is_object() ? fields.object(role).text("content") : fields.text(role);
  }
  return roles;
}

std::string Tokenizer::to_json() const {
  return Json::object(
             {{"version", "1.0"},
              {"truncation", parts_->truncation ? parts_->truncation->to_json() : Json()},
              {"padding", parts_->padding ? parts_->padding->to_json() : Json()},
              {"added_tokens", (parts_->listed.empty() ? parts_->added : parts_->listed).to_json()},
              {"normalizer", optional_json(parts_->normalizer)},
              {"pre_tokenizer", optional_json(parts_->pre_tokenizer)},
              {"post_processor", optional_json(parts_->post_processor)},
              {"decoder", optional_json(parts_->decoder)},
              {"model", parts_->model->to_json()}})
             .dump(2) +
         "\n";
}

void Tokenizer::save(const std::string& directory) const {
  make_directories(directory);
  const std::string json = to_json();
  const std::string model = join_path(directory, "tokenizer.model");
  if (!parts_->spm.empty()) write_file(model, parts_->spm);
  write_file(join_path(directory, "tokenizer.json"), json);
  // One of an earlier tokenizer would be another's than the tokenizer.json beside it.
  if (parts_->spm.empty()) std::filesystem::remove(model);
  Json config = Json::object(
      {{"tokenizer_class", "PreTrainedTokenizerFast"}, {"clean_up_tokenization_spaces", false}});
  for (const auto& [role, token] : parts_->roles) config.set(role, token);
  if (parts_->max_length) config.set("model_max_length", *parts_->max_length);
  write_file(join_path(directory, "tokenizer_config.json"), config.dump(2) + "\n");
}

}  // namespace jogak
