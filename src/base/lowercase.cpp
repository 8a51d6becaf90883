#include "base/lowercase.h"

#include <algorithm>
#include <iterator>

#include "base/lowercase_table.h"
#include "base/utf8.h"

namespace jogak {
namespace {

using detail::CaseRun;
using detail::CodeRange;
using detail::kCased;
using detail::kInsideWords;
using detail::kLowercase;

constexpr char32_t kSigma = 0x3A3, kFinalSigma = 0x3C2;

char32_t lower(char32_t code) {
  const auto* run =
      std::lower_bound(std::begin(kLowercase), std::end(kLowercase), code,
                       [](const CaseRun& r, char32_t value) { return r.last < value; });
  const bool found = run != std::end(kLowercase) && code >= run->first &&
                     (code - run->first) % static_cast<char32_t>(run->step) == 0;
  return found ? code + static_cast<char32_t>(run->add) : code;
}

template <size_t N>
bool is_in(const CodeRange (&ranges)[N], char32_t code) {
  const auto* range =
      std::lower_bound(std::begin(ranges), std::end(ranges), code,
                       [](const CodeRange& r, char32_t value) { return r.last < value; });
  return range != std::end(ranges) && code >= range->first;
}

bool cased_after(std::string_view text, size_t at) {
  for (utf8::Decoded next = utf8::decode(text, at); next.size > 0; next = utf8::decode(text, at)) {
    if (!is_in(kInsideWords, next.code)) return is_in(kCased, next.code);
    at += static_cast<size_t>(next.size);
  }
  return false;
}

bool cased_before(std::string_view text, size_t at) {
  while (at > 0) {
    do --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    const utf8::Decoded code = utf8::decode(text, at);
    if (code.size == 0 || !is_in(kInsideWords, code.code))
      return code.size > 0 && is_in(kCased, code.code);
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
