#include <utility>

#include "base/lowercase.h"
#include "text/jinja/texts.h"
#include "text/unicode/tables.h"
#include "text/unicode/unicode.h"
#include "text/unicode/upper.h"

namespace jogak::jinja {
namespace {

// Calls use(code, from, to) for every character.
template <class Use>
void each_character(std::string_view text, Use&& use) {
  for (size_t at = 0; at < text.size();) {
    const text::Code code = text::code_at(text.data() + at);
    use(code.value, at, at + static_cast<size_t>(code.size));
    at += static_cast<size_t>(code.size);
  }
}

bool has_case(std::string_view character, char32_t code) {
  return lowercase(character) != character || text::uppercased(code) != character;
}

}  // namespace

MarkedText upper(const MarkedText& text) {
  MarkedText out;
  each_character(text.view(), [&](char32_t code, size_t from, size_t) {
    out.append(text::uppercased(code), text.is_user(from));
  });
  return out;
}

// The whole text is made small at once, because a sigma depends on its neighbours.
MarkedText lower(const MarkedText& text) {
  const std::string whole = lowercase(text.view());
  MarkedText out;
  size_t at = 0;
  each_character(text.view(), [&](char32_t, size_t from, size_t to) {
    const size_t size = lowercase(text.view().substr(from, to - from)).size();
    out.append(std::string_view(whole).substr(at, size), text.is_user(from));
    at += size;
  });
  return out;
}

MarkedText capitalized(const MarkedText& text) {
  MarkedText out;
  if (text.empty()) return out;
  const text::Code first = text::code_at(text.view().data());
  out.append(text::titlecased(first.value), text.is_user(0));
  const MarkedText small = lower(text);
  const size_t done = lowercase(text.view().substr(0, static_cast<size_t>(first.size))).size();
  out.append(small, done);
  return out;
}

MarkedText titled(const MarkedText& text) {
  const std::string whole = lowercase(text.view());
  MarkedText out;
  size_t at = 0;        // in the whole
  bool inside = false;  // a word: after a letter that has a large and a small form
  each_character(text.view(), [&](char32_t code, size_t from, size_t to) {
    const std::string_view one = text.view().substr(from, to - from);
    const std::string small = whole.substr(at, lowercase(one).size());
    at += small.size();
    out.append(inside ? small : text::titlecased(code), text.is_user(from));
    inside = has_case(one, code);
  });
  return out;
}

}  // namespace jogak::jinja
