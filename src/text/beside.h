// What stands beside tokenizer.json and would change it: tokenizer_config.json and
// added_tokens.json. transformers lets them; here they must say the same.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/json.h"

namespace jogak::text {

// FormatError with the file and key of what differs. `normalizer` is tokenizer.json's, or null;
// id_of gives a token's id.
void check_beside(const std::string& directory, const Json& normalizer,
                  const std::function<std::optional<int>(const std::string&)>& id_of);

}  // namespace jogak::text
