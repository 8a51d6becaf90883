#include "text/unicode/unicode.h"

#include <memory>

#include "text/unicode/code_table.h"
#include "text/unicode/tables.h"

namespace jogak::text {
namespace {

using tables::each_run;

void mark_runs(std::string_view table, ClassTable& classes, uint8_t (*class_of)(uint32_t)) {
  each_run(table, [&](char32_t from, char32_t to, uint32_t label) {
    const uint8_t add = class_of(label);
    for (char32_t code = from; add != 0 && code < to; ++code) classes[code] |= add;
  });
}

std::unique_ptr<ClassTable> unpack() {
  auto classes = std::make_unique<ClassTable>();
  mark_runs(tables::kCategories, *classes, [](uint32_t label) -> uint8_t {
    const char first = tables::kCategoryNames[label][0];
    return first == 'L' ? kLetter : first == 'N' ? kNumber : first == 'Z' ? kSpace : 0;
  });
  for (const char32_t code : {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85}) (*classes)[code] |= kSpace;
  mark_runs(tables::kRustClasses, *classes, [](uint32_t label) -> uint8_t {
    return (label & tables::kRustWord ? kWord : 0) | (label & tables::kRustNumeric ? kNumeric : 0) |
           (label & tables::kRustPunctuation ? kPunctuation : 0) |
           (label & tables::kRustOther ? kHidden : 0) |
           (label & tables::kRustNonspacing ? kNonspacing : 0);
  });
  return classes;
}

template <class Label>
CodeTable<uint8_t> table_of(std::string_view runs, Label&& label_of) {
  CodeTable<uint8_t> out;
  each_run(runs, [&](char32_t from, char32_t to, uint32_t label) {
    const auto value = static_cast<uint8_t>(label_of(label));
    for (char32_t code = from; value != 0 && code < to; ++code) out.at(code) = value;
  });
  return out;
}

}  // namespace

const ClassTable& class_table() {
  static const std::unique_ptr<const ClassTable> table = unpack();
  return *table;
}

bool is_mark(char32_t code) {
  static const CodeTable<uint8_t> marks = table_of(
      tables::kRustClasses, [](uint32_t label) { return label & tables::kRustMark ? 1 : 0; });
  return marks[code] != 0;
}

uint8_t script_number(char32_t code) {
  static const CodeTable<uint8_t> scripts =
      table_of(tables::kPreTokenizerScripts, [](uint32_t label) { return label; });
  return scripts[code];
}

size_t last_character(std::string_view text) {
  size_t at = text.size() - 1;
  while (at > 0 && continues(text[at])) --at;
  return at;
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
