// The keys of generation_config.json, once: reading a file, flags, help and documentation walk this
// table.
#pragma once

#include <variant>

#include "base/json.h"
#include "base/lang.h"
#include "generate/settings.h"

namespace jogak {

struct GenerationKey {
  template <class T>
  using Member = std::optional<T> GenerationSettings::*;
  using Field =
      std::variant<Member<int64_t>, Member<double>, Member<bool>, Member<std::vector<int>>,
                   Member<std::vector<std::vector<int>>>, Member<std::vector<BiasedSequence>>,
                   Member<EndGrowth>, Member<EarlyStopping>, Member<std::vector<std::string>>>;

  const char* key;   // as the file says it
  const char* flag;  // as a command line says it, "top-k"; empty: it has no flag
  const char* translate_flag = nullptr;  // of `jogak translate`, where it has another or none
  Field field;
  Words help;
  const char* otherwise;  // what transformers does when nobody says it
  double low = 0, high = 1e9;
  bool above = false;        // low itself is not allowed
  bool is_token = false;     // a number, or each of the numbers, is a token's
  bool names_token = false;  // a special token: says nothing of how texts are made
  bool draws = false;        // only where tokens are drawn

  bool is_set(const GenerationSettings& settings) const;
  const char* value_name() const;  // what help calls its value: N, X, JSON
};
const std::vector<GenerationKey>& generation_keys();

// Keys of transformers that are not obeyed: refused, by what they ask for, when their value is
// neither null nor one of these.
struct RefusedKey {
  const char* key;
  std::vector<Json> harmless;
  const char* what;
};
const std::vector<RefusedKey>& refused_generation_keys();
const std::vector<const char*>& harmless_generation_keys();  // that change no token

// Ids are tokens of a model of `vocab`; null is as not said. FormatError naming file, byte and key.
struct GenerationFile {
  GenerationSettings settings = {};
  std::vector<std::string> unknown = {};  // keys that transformers does not obey either
};
GenerationFile read_generation_file(const Json& json, const std::string& file, int64_t vocab);
// The same keys in config.json, among those of the model: where they stood before they had a file.
GenerationSettings read_legacy_generation(const Json& config, const std::string& file,
                                          int64_t vocab);

// One setting of a command line; UsageError naming the flag.
void set_generation_key(GenerationSettings& settings, const GenerationKey& key, const Json& value,
                        const char* flag, int64_t vocab);

}  // namespace jogak
