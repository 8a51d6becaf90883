#include "base/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/terminal.h"

namespace jogak {

std::string format_count(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t sign = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string format_bytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < std::size(kUnits)) {  // 1023.95 would read "1024.0"
    value /= 1024;
    ++unit;
  }
  return fixed(value, 1) + " " + kUnits[unit];
}

std::string fixed(double value, int digits) {
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  digits = std::clamp(digits, 0, 60);
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, digits);
  std::string text(buffer.data(), end.ptr);
  if (text.starts_with('-') && text.find_first_of("123456789in") == std::string::npos)
    text.erase(0, 1);  // "-0.00" says nothing that "0.00" does not
  return text;
}

std::string format_seconds(double seconds, Lang lang) {
  constexpr Words kDays{"일", " d"}, kHours{"시간", " h"}, kMinutes{"분", " min"},
      kSeconds{"초", " s"};
  if (!std::isfinite(seconds)) return "?";
  seconds = std::clamp(seconds, 0.0, 1e12);
  if (seconds < 9.95) return text_of(fixed(seconds, 1), kSeconds(lang));
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  // The two largest units; more would be read by nobody.
  const auto two = [&](int64_t large, const Words& first, int64_t small, const Words& second) {
    return small > 0 ? text_of(large, first(lang), " ", small, second(lang))
                     : text_of(large, first(lang));
  };
  if (whole < 60) return text_of(whole, kSeconds(lang));
  if (whole < 3600) return two(whole / 60, kMinutes, whole % 60, kSeconds);
  const int64_t minutes = (whole + 30) / 60;
  if (minutes < 24 * 60) return two(minutes / 60, kHours, minutes % 60, kMinutes);
  const int64_t hours = (whole + 1800) / 3600;
  return two(hours / 24, kDays, hours % 24, kHours);
}

namespace {

// Digits with signs, points, commas, exponents and a trailing unit sign; "-" stands for none.
bool looks_numeric(const std::string& cell) {
  if (cell.empty() || cell == "-" || cell == "nan" || cell == "inf" || cell == "-inf") return true;
  const size_t first = cell.find_first_not_of("+-.");
  return first != std::string::npos && cell[first] >= '0' && cell[first] <= '9' &&
         cell.find_first_not_of("0123456789+-.,eE%x±") == std::string::npos;
}

}  // namespace

TextTable& TextTable::row(std::vector<std::string> cells) {
  ensure<Error>(cells.size() <= header_.size(), "a table row has ", cells.size(),
                " cells, its header ", header_.size());
  cells.resize(header_.size());
  rows_.push_back(std::move(cells));
  return *this;
}

std::string TextTable::text() const {
  const size_t columns = header_.size();
  std::vector<size_t> widths(columns);
  std::vector<bool> numeric(columns, !rows_.empty());
  for (size_t c = 0; c < columns; ++c) {
    widths[c] = display_width(header_[c]);
    for (const auto& cells : rows_) {
      widths[c] = std::max(widths[c], display_width(cells[c]));
      if (!looks_numeric(cells[c])) numeric[c] = false;
    }
  }
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t c = 0; c < columns; ++c) {
      if (c > 0) line += "  ";
      line += numeric[c] ? pad_left(cells[c], widths[c]) : pad_right(cells[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add_line(header_);
  std::vector<std::string> rule;
  for (const size_t width : widths) {
    rule.emplace_back();
    for (size_t i = 0; i < width; ++i) rule.back() += "─";
  }
  add_line(rule);
  for (const auto& cells : rows_) add_line(cells);
  return out;
}

}  // namespace jogak
