#include "text/beside.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/file.h"

namespace jogak::text {
namespace {

using IdOf = std::function<std::optional<int>(const std::string&)>;

// Those that make BERT's normalizer anew from do_lower_case, whatever tokenizer.json has.
constexpr const char* kLowering[] = {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"};

void check_token(const Fields& f, const Json& place, const std::string& token, int64_t id,
                 const IdOf& id_of) {
  const std::optional<int> known = id_of(token);
  if (known != id)
    fail<FormatError>(f.file(), ": byte ", place.offset(), ": token ", json_quote(token),
                      " has id ", id, ", in tokenizer.json ",
                      known ? text_of("it has ", *known) : "it is missing");
}

void check_lowercase(const Fields& f, const Json& normalizer) {
  const Json* const type = normalizer.find("type");
  std::string name = f.text_or("tokenizer_class", "");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  const bool lowers =
      std::find(std::begin(kLowering), std::end(kLowering), name) != std::end(kLowering);
  if (!lowers || !type || type->text() != "BertNormalizer") return;
  const Json* const found = normalizer.find("lowercase");
  const bool there = !found || found->boolean(), wanted = f.flag_or("do_lower_case", true);
  if (there != wanted)
    fail<FormatError>(f.file(), ": byte ",
                      f.has("do_lower_case") ? f.at("do_lower_case").offset() : 0,
                      ": \"do_lower_case\": ", wanted ? "true" : "false", " for a ", name,
                      ", but tokenizer.json has \"lowercase\": ", there ? "true" : "false");
}

}  // namespace

void check_beside(const std::string& directory, const Json& normalizer, const IdOf& id_of) {
  const std::string config = join_path(directory, "tokenizer_config.json"),
                    added = join_path(directory, "added_tokens.json");
  if (file_exists(config)) {
    const Json json = read_json_file(config);
    const Fields f(json, config);
    if (normalizer.is_object()) check_lowercase(f, normalizer);
    if (f.has("added_tokens_decoder"))
      for (const auto& [id, value] : f.object("added_tokens_decoder").json().members())
        check_token(f, value, Fields(value, config).text("content"), std::atoll(id.c_str()), id_of);
  }
  if (!file_exists(added)) return;
  const Json json = read_json_file(added);
  const Fields f(json, added);
  for (const auto& [token, value] : json.members())
    check_token(f, value, token, f.integer(token, {0, INT32_MAX}), id_of);
}

}  // namespace jogak::text
