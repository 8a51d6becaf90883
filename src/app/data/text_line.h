// A text as somebody gave it, with what complaints call it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace jogak {

struct TextLine {
  std::string text;
  std::string name;   // "standard input: line 3", "text 2"
  size_t number = 0;  // from 1
};

// "text 1" and so on. FormatError for one that is not UTF-8.
std::vector<TextLine> text_lines(std::span<const std::string> texts);

}  // namespace jogak
