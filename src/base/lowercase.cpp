#include "base/lowercase.h"

#include <algorithm>
#include <iterator>

#include "base/lowercase_table.h"
#include "base/utf8.h"

namespace jogak {
namespace {

using detail::CaseRun;
using detail::kLowercase;

constexpr char32_t kSigma = 0x3A3, kFinalSigma = 0x3C2;

bool contains(const CaseRun& run, char32_t code) {
  return code >= run.first && code <= run.last &&
         (code - run.first) % static_cast<char32_t>(run.step) == 0;
}

char32_t lower(char32_t code) {
  const auto* run =
      std::lower_bound(std::begin(kLowercase), std::end(kLowercase), code,
                       [](const CaseRun& r, char32_t value) { return r.last < value; });
  if (run == std::end(kLowercase) || !contains(*run, code)) return code;
  return code + static_cast<char32_t>(run->add);
}

bool is_cased(char32_t code) {  // a letter that is large or small
  return std::any_of(std::begin(kLowercase), std::end(kLowercase), [&](const CaseRun& run) {
    return contains(run, code) || contains(run, code - static_cast<char32_t>(run.add));
  });
}

// What may stand inside a word without being a letter: apostrophes, points, accents.
bool is_passed_over(char32_t code) {
  constexpr char32_t kMarks[] = {'\'', '.',  ':',  '^',    '`',    0xA8,   0xAD,  0xAF,
                                 0xB4, 0xB7, 0xB8, 0x2018, 0x2019, 0x2024, 0x2027};
  return (code >= 0x300 && code <= 0x36F) ||
         std::find(std::begin(kMarks), std::end(kMarks), code) != std::end(kMarks);
}

bool cased_after(std::string_view text, size_t at) {
  for (utf8::Decoded next = utf8::decode(text, at); next.size > 0; next = utf8::decode(text, at)) {
    if (!is_passed_over(next.code)) return is_cased(next.code);
    at += static_cast<size_t>(next.size);
  }
  return false;
}

bool cased_before(std::string_view text, size_t at) {
  while (at > 0) {
    do --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    const utf8::Decoded code = utf8::decode(text, at);
    if (code.size == 0 || !is_passed_over(code.code)) return code.size > 0 && is_cased(code.code);
  }
  return false;
}

}  // namespace

std::string lowercase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    const auto size = static_cast<size_t>(std::max(next.size, 1));
    if (next.size == 0) {
      out += text[at];
    } else if (next.code == 0x130) {
      out += "i\xCC\x87";
    } else if (next.code == kSigma && cased_before(text, at) && !cased_after(text, at + size)) {
      utf8::append(out, kFinalSigma);
    } else {
      utf8::append(out, lower(next.code));
    }
    at += size;
  }
  return out;
}

}  // namespace jogak
