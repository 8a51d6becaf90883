// Template -> tokens, with the whitespace control of Jinja: trim_blocks and lstrip_blocks are on,
// "-" takes the space beside a tag away, "+" keeps it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jogak::jinja {

struct Token {
  enum class Kind {
    data,         // text between tags
    print_begin,  // {{
    print_end,    // }}
    block_begin,  // {%
    block_end,    // %}
    name,
    string,
    integer,
    number,
    op,  // operators and brackets
    end
  };
  Kind kind = Kind::end;
  int line = 0;
  std::string text{};  // of a string what it means
};

// Errors name the line: "line 3: what".
std::vector<Token> tokenize(std::string_view source);

}  // namespace jogak::jinja
