#include "text/beside.h"

#include <cstdlib>

#include "base/file.h"

namespace jogak::text {
namespace {

using IdOf = std::function<std::optional<int>(const std::string&)>;

// Those that make BERT's normalizer anew from tokenizer_config.json, whatever tokenizer.json has;
// for a model of that type also where nothing names a class.
struct BertClass {
  const char *name, *model_type;
};
constexpr BertClass kBertClasses[] = {{"BertTokenizer", "bert"},
                                      {"DistilBertTokenizer", "distilbert"},
                                      {"ElectraTokenizer", "electra"},
                                      {"MPNetTokenizer", "mpnet"}};

void check_token(const Fields& f, const Json& place, const std::string& token, int64_t id,
                 const IdOf& id_of) {
  const std::optional<int> known = id_of(token);
  if (known != id)
    fail<FormatError>(f.file(), ": byte ", place.offset(), ": token ", json_quote(token),
                      " has id ", id, ", in tokenizer.json ",
                      known ? text_of("it has ", *known) : "it is missing");
}

// An object, empty where the file is not there.
Json object_of(const std::string& file) {
  Json out = file_exists(file) ? read_json_file(file) : Json::object();
  Fields(out, file);  // refuses what is none
  return out;
}

// The class that transformers takes for a tokenizer; "": one that follows tokenizer.json.
std::string bert_class(const Fields& f, const std::string& directory) {
  const std::string file = join_path(directory, "config.json");
  const Json json = f.has("tokenizer_class") ? Json::object() : object_of(file);
  const Fields model(json, file);
  std::string name = f.text_or("tokenizer_class", model.text_or("tokenizer_class", ""));
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  const std::string type = name.empty() ? model.text_or("model_type", "") : "";
  for (const BertClass& one : kBertClasses)
    if (name == one.name || type == one.model_type) return one.name;
  return "";
}

void check_normalizer(const Fields& f, const Fields& normalizer, const std::string& directory) {
  const std::string name = bert_class(f, directory);
  if (name.empty() || normalizer.text_or("type", "") != "BertNormalizer") return;
  const auto differs = [&](const std::string& key, bool wanted, const char* there, bool found) {
    if (wanted == found) return;
    fail<FormatError>(f.file(), ": byte ", f.has(key) ? f.at(key).offset() : 0, ": ",
                      json_quote(key), ": ", wanted ? "true" : "false", " for a ", name,
                      ", but tokenizer.json has ", json_quote(there), ": ",
                      found ? "true" : "false");
  };
  const bool lowers = f.flag_or("do_lower_case", true),
             lowered = normalizer.flag_or("lowercase", true);
  differs("do_lower_case", lowers, "lowercase", lowered);
  differs("strip_accents", f.flag_or("strip_accents", lowers), "strip_accents",
          normalizer.flag_or("strip_accents", lowered));
  differs("tokenize_chinese_chars", f.flag_or("tokenize_chinese_chars", true),
          "handle_chinese_chars", normalizer.flag_or("handle_chinese_chars", true));
  differs("clean_text", true, "clean_text", normalizer.flag_or("clean_text", true));
}

}  // namespace

void check_beside(const std::string& directory, const Json& normalizer, const IdOf& id_of) {
  const std::string config = join_path(directory, "tokenizer_config.json"),
                    added = join_path(directory, "added_tokens.json");
  const Json beside = object_of(config);
  const Fields f(beside, config);
  if (normalizer.is_object())
    check_normalizer(f, Fields(normalizer, join_path(directory, "tokenizer.json")), directory);
  if (f.has("added_tokens_decoder"))
    for (const auto& [id, value] : f.object("added_tokens_decoder").json().members())
      check_token(f, value, Fields(value, config).text("content"), std::atoll(id.c_str()), id_of);
  if (!file_exists(added)) return;
  const Json json = read_json_file(added);
  const Fields tokens(json, added);
  for (const auto& [token, value] : json.members())
    check_token(tokens, value, token, tokens.integer(token, {0, INT32_MAX}), id_of);
}

}  // namespace jogak::text
