#include "explain/written_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/utf8.h"

namespace jogak {
namespace {

bool is_numeral(char c) { return c >= '0' && c <= '9'; }

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<double> number(std::string_view text) {  // "0.5" or "1/2"
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return plain_number(text);
  const auto top = plain_number(text.substr(0, slash));
  const auto bottom = plain_number(text.substr(slash + 1));
  if (!top || !bottom || *bottom == 0) return std::nullopt;
  return *top / *bottom;
}

// Half-width forms of what Korean and Japanese keyboards write: ０-９, ．，； and ideographic
// marks; minus signs as -.
std::string half_width(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    const size_t size = static_cast<size_t>(std::max(next.size, 1));
    const char32_t c = next.code;
    if (c >= 0xFF01 && c <= 0xFF5E)
      out += static_cast<char>(c - 0xFF01 + '!');
    else if (c == 0x3000)
      out += ' ';
    else if (c == 0x3001)
      out += ',';
    else if (c == 0x3002)
      out += '.';
    else if (c == 0x2212 || c == 0x2013)
      out += '-';
    else
      out += text.substr(at, size);
    at += size;
  }
  return out;
}

// "2912개" is 2912, "70%" 0.7: a unit behind a number says nothing more, except the one that
// divides.
std::optional<double> number_with_unit(std::string_view word) {
  const size_t end = std::min(word.find_first_not_of("+-0123456789./eE"), word.size());
  std::string_view digits = word.substr(0, end);
  while (!digits.empty() && (digits.back() == 'e' || digits.back() == 'E' || digits.back() == '/'))
    digits.remove_suffix(1);
  if (digits.size() > 1 && digits.back() == '.') digits.remove_suffix(1);  // ends a sentence
  const std::string_view unit = word.substr(digits.size());
  const bool is_unit = std::none_of(unit.begin(), unit.end(), is_numeral);
  const auto value = number(digits);
  if (!value || !is_unit) return std::nullopt;
  return unit.starts_with('%') ? *value / 100 : *value;
}

// "2,912" is one number where the answer has no more: commas stand before three digits each.
std::string without_thousands(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t digits = 0;
    while (i + 1 + digits < text.size() && is_numeral(text[i + 1 + digits])) ++digits;
    const bool parts = text[i] == ',' && i > 0 && is_numeral(text[i - 1]) && digits == 3;
    if (!parts) out += text[i];
  }
  return out;
}

// Numbers parted by commas, semicolons or spaces, perhaps with units; brackets are let pass.
std::optional<std::vector<double>> numbers(std::string_view text) {
  std::vector<double> out;
  std::string word;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    const bool between = std::string_view(" \t,;[]()").find(c) != std::string_view::npos;
    if (!between) {
      word += c;
      continue;
    }
    if (word.empty()) continue;
    const bool unit_alone = !out.empty() && std::none_of(word.begin(), word.end(), is_numeral);
    const auto value = unit_alone ? std::nullopt : number_with_unit(word);
    if (!value && !unit_alone) return std::nullopt;
    if (value) out.push_back(*value);
    if (unit_alone && word.starts_with('%')) out.back() /= 100;
    word.clear();
  }
  return out;
}

}  // namespace

std::vector<std::vector<double>> readings_of(std::string_view written) {
  const std::string plain = half_width(written);
  std::vector<std::vector<double>> out;
  for (const std::string& text : {plain, without_thousands(plain)})
    if (auto values = numbers(text)) out.push_back(*std::move(values));
  return out;
}

}  // namespace jogak
