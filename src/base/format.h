// Numbers, sizes, times and tables as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/lang.h"

namespace jogak {

std::string format_count(int64_t value);   // 1234567 -> "1,234,567"
std::string format_bytes(uint64_t bytes);  // 1536 -> "1.5 KiB"
std::string fixed(double value, int digits);
std::string format_seconds(double seconds, Lang lang = Lang::en);  // 72 -> "1 min 12 s"

// A table for a terminal. A column whose cells are all numbers stands flush right, other columns
// flush left; widths are screen columns, so Hangul lines up. A row may be shorter than the header.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

  TextTable& row(std::vector<std::string> cells);
  std::string text() const;  // every line ends with a newline

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace jogak
