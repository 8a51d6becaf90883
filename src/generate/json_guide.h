// Holds a text to JSON: of the tokens only those may come whose bytes go on with it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "generate/json_rules.h"
#include "generate/token_guide.h"

namespace jogak {

// The bytes of all tokens that are text, sorted: what begins alike stands together.
using TokenBytes = std::vector<std::pair<std::string, int>>;

struct JsonGuideParts {
  std::shared_ptr<const TokenBytes> tokens;
  std::shared_ptr<const JsonRules> rules;
  std::vector<int> ends;  // tokens that end a text
};

std::unique_ptr<TokenGuide> json_guide(const JsonGuideParts& parts);

}  // namespace jogak
