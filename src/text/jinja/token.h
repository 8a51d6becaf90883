// The words of a template.
#pragma once

#include <string>

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

}  // namespace jogak::jinja
