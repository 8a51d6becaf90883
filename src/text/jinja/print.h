// Values as text: str(), repr() and JSON of Python. User text stays marked.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/python_number.h"
#include "text/jinja/value.h"

namespace jogak::jinja {

MarkedText to_text(const Value& value);         // str()
MarkedText representation(const Value& value);  // repr()

struct JsonStyle {
  bool ascii = false, sorted = false, lines = false;
  std::string indent{};  // of one level, with lines
  std::string between = ", ", after_key = ": ";
};
MarkedText json_text(const Value& value, const JsonStyle& style);

bool is_printable(char32_t code);

}  // namespace jogak::jinja
