#include "text/unicode/upper.h"

#include <string_view>
#include <unordered_map>

#include "base/utf8.h"
#include "text/unicode/tables.h"

namespace jogak::text {
namespace {

using Mapping = std::unordered_map<char32_t, std::string>;

Mapping read(std::string_view table) {
  Mapping out;
  tables::Numbers numbers(table);
  for (char32_t code = 0; numbers.more();) {
    code += numbers.next();
    std::string& text = out[code];
    for (uint32_t count = numbers.next(); count > 0; --count) utf8::append(text, numbers.next());
  }
  return out;
}

std::string unchanged(char32_t code) {
  std::string out;
  utf8::append(out, code);
  return out;
}

}  // namespace

std::string uppercased(char32_t code) {
  static const Mapping kMapping = read(tables::kUppercase);
  if (code < 0x80) return {static_cast<char>(code >= 'a' && code <= 'z' ? code - 'a' + 'A' : code)};
  const auto found = kMapping.find(code);
  return found == kMapping.end() ? unchanged(code) : found->second;
}

std::string titlecased(char32_t code) {
  static const Mapping kMapping = read(tables::kTitlecase);
  const auto found = kMapping.find(code);
  return found == kMapping.end() ? uppercased(code) : found->second;
}

}  // namespace jogak::text
