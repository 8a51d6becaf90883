#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash/base64.h"
#include "base/utf8.h"
#include "text/stages/charsmap.h"
#include "text/unicode/grapheme.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

constexpr size_t kLongestCluster = 5;  // bytes that are replaced as a whole

// A character of the new text, and how many characters more (or, below zero, fewer) there are
// with it than before.
struct Change {
  char32_t code;
  int more;
};

int characters(std::string_view text) { return static_cast<int>(utf8::count(text)); }

void replace(std::vector<Change>& changes, std::string_view old, std::string_view with) {
  for (size_t at = 0; at < with.size();) {
    const Code next = code_at(with.data() + at);
    changes.push_back({next.value, 0});
    at += next.size;
  }
  const int more = characters(with) - characters(old);
  for (int i = 0; i < more; ++i) changes[changes.size() - 1 - i].more = 1;
  // What is taken away belongs to the character before it. The reference forgets it where there is
  // none, and all that follows is reported one place too early; so it is here.
  if (more < 0 && !changes.empty()) changes.back().more += more;
}

}  // namespace

AlignedText Charsmap::apply(AlignedText in) const {
  const std::string_view text = in.text();
  std::vector<Change> changes;
  bool replaced = false;
  const auto rewrite = [&](std::string_view part) {
    const Rule rule = shortest(part);
    if (rule.size == 0) return false;
    replace(changes, part, rule.text);
    return replaced = true;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = at + cluster_size(text.substr(at));
    if (end - at <= kLongestCluster && rewrite(text.substr(at, end - at))) {
      at = end;
      continue;
    }
    while (at < end) {
      const Code next = code_at(text.data() + at);
      if (!rewrite(text.substr(at, next.size))) changes.push_back({next.value, 0});
      at += next.size;
    }
  }
  if (!replaced) return in;
  Transformer out(whole(in));
  for (const auto& [code, more] : changes) out.put(code, more);
  return out.done();
}

Charsmap Charsmap::from_base64(std::string_view text, const std::string& place) {
  return read(decode_base64(text, place), place);
}

std::string Charsmap::to_base64() const {
  std::string blob;
  const auto put = [&](uint32_t value) {
    for (int i = 0; i < 4; ++i) blob += static_cast<char>(value >> 8 * i & 0xFF);
  };
  put(static_cast<uint32_t>(4 * units_.size()));
  for (const Unit& unit : units_) put(unit.bits);
  return encode_base64(blob + texts_);
}

}  // namespace jogak::text
