#include "text/stages/gpt2_split.h"

#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

constexpr uint8_t kKinds = kLetter | kNumber | kSpace;  // none of them: everything else

// Length of 's 't 're 've 'm 'll 'd at the apostrophe `at`, or 0.
size_t contraction(std::string_view text, size_t at) {
  const char first = at + 1 < text.size() ? text[at + 1] : '\0';
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const char second = at + 2 < text.size() ? text[at + 2] : '\0';
  const bool two = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
                   (first == 'l' && second == 'l');
  return two ? 3 : 0;
}

size_t end_of_run(std::string_view text, size_t at, uint8_t kind, const ClassTable& classes) {
  while (at < text.size()) {
    const Code next = code_at(text.data() + at);
    if ((classes[next.value] & kKinds) != kind) break;
    at += next.size;
  }
  return at;
}

}  // namespace

size_t gpt2_piece_end(std::string_view text, size_t at) {
  const ClassTable& classes = class_table();
  if (text[at] == '\'') {
    if (const size_t size = contraction(text, at)) return at + size;
  }
  const auto kind_at = [&](size_t place) {
    return static_cast<uint8_t>(classes[code_at(text.data() + place).value] & kKinds);
  };
  uint8_t kind = kind_at(at);
  if (kind != kSpace) return end_of_run(text, at, kind, classes);
  if (text[at] == ' ' && at + 1 < text.size()) {  // one space goes with what follows it
    kind = kind_at(at + 1);
    if (kind != kSpace) return end_of_run(text, at + 1, kind, classes);
  }
  const size_t end = end_of_run(text, at, kSpace, classes);
  if (end == text.size()) return end;
  // \s+(?!\S) gives back its last space when something else follows; \s+ takes a lonely one.
  size_t last = end - 1;
  while (continues(text[last])) --last;
  return last > at ? last : end;
}

}  // namespace jogak::text
