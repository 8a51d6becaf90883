// Template -> tokens, with the whitespace control of Jinja: trim_blocks and lstrip_blocks are on,
// "-" takes the space beside a tag away, "+" keeps it.
#pragma once

#include <string_view>
#include <vector>

#include "text/jinja/token.h"

namespace jogak::jinja {

// Errors name the line: "line 3: what".
std::vector<Token> tokenize(std::string_view source);

}  // namespace jogak::jinja
