#include "text/unicode/upper.h"

#include <string_view>
#include <unordered_map>

#include "base/utf8.h"
#include "text/unicode/tables.h"

namespace jogak::text {
namespace {

using Capitals = std::unordered_map<char32_t, std::string>;

Capitals read_capitals(std::string_view table) {
  Capitals out;
  tables::Numbers numbers(table);
  for (char32_t code = 0; numbers.more();) {
    code += numbers.next();
    std::string& text = out[code];
    for (uint32_t count = numbers.next(); count > 0; --count) utf8::append(text, numbers.next());
  }
  return out;
}

std::string same_capital(char32_t code) {
  std::string out;
  utf8::append(out, code);
  return out;
}

}  // namespace

std::string uppercased(char32_t code) {
  static const Capitals kCapitals = read_capitals(tables::kUppercase);
  if (code < 0x80) return {static_cast<char>(code >= 'a' && code <= 'z' ? code - 'a' + 'A' : code)};
  const auto found = kCapitals.find(code);
  return found == kCapitals.end() ? same_capital(code) : found->second;
}

std::string titlecased(char32_t code) {
  static const Capitals kCapitals = read_capitals(tables::kTitlecase);
  const auto found = kCapitals.find(code);
  return found == kCapitals.end() ? uppercased(code) : found->second;
}

}  // namespace jogak::text
