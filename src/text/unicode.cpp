#include "text/unicode.h"

#include <algorithm>
#include <memory>

#include "text/unicode_tables.h"

namespace jogak::text {
namespace {

std::unique_ptr<ClassTable> unpack() {
  auto table = std::make_unique<ClassTable>();
  for (size_t i = 0; i < kClassRunCount; ++i) {
    const size_t from = kClassRuns[i] >> 4;
    const size_t to = i + 1 < kClassRunCount ? kClassRuns[i + 1] >> 4 : table->size();
    std::fill(table->begin() + from, table->begin() + to, uint8_t(kClassRuns[i] & 15));
  }
  return table;
}

// Start of the last character of a text that is not empty.
size_t last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && continues(text[at])) --at;
  return at;
}

}  // namespace

const ClassTable& class_table() {
  static const std::unique_ptr<const ClassTable> table = unpack();
  return *table;
}

size_t leading_space(std::string_view text) {
  const ClassTable& classes = class_table();
  size_t at = 0;
  while (at < text.size()) {
    const Code next = code_at(text.data() + at);
    if (!(classes[next.value] & kSpace)) break;
    at += next.size;
  }
  return at;
}

size_t trailing_space(std::string_view text) {
  const ClassTable& classes = class_table();
  size_t end = text.size();
  while (end > 0) {
    const size_t at = last_character(text.substr(0, end));
    if (!(classes[code_at(text.data() + at).value] & kSpace)) break;
    end = at;
  }
  return text.size() - end;
}

bool starts_with_word(std::string_view text) {
  return !text.empty() && class_table()[code_at(text.data()).value] & kWord;
}

bool ends_with_word(std::string_view text) {
  if (text.empty()) return false;
  return class_table()[code_at(text.data() + last_character(text)).value] & kWord;
}

}  // namespace jogak::text
