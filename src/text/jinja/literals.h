// Names, numbers and strings of a template's expressions.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/token.h"

namespace jogak::jinja {

struct Literal {
  Token::Kind kind = Token::Kind::end;
  size_t size = 0;     // bytes of the source; 0: none starts here
  std::string text{};  // of a string what it means, of a number its digits
};

// `after_dot`: "0" in "items.0.5" is no part of a number with a point.
Literal read_literal(std::string_view source, bool after_dot);

}  // namespace jogak::jinja
