#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
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

namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

Charsmap Charsmap::from_base64(std::string_view text, const std::string& place) {
  static const std::array<int8_t, 256> kValues = [] {
    std::array<int8_t, 256> out{};
    out.fill(-1);
    for (size_t i = 0; i < 64; ++i) out[static_cast<unsigned char>(kBase64[i])] = int8_t(i);
    return out;
  }();
  ensure<FormatError>(text.size() % 4 == 0, place, ": found base64 of ", text.size(),
                      " characters, wanted a multiple of 4");
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  std::string blob;
  blob.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const int value = kValues[static_cast<unsigned char>(text[i])];
    ensure<FormatError>(value >= 0, place, ": character ", i,
                        ": found one that is not base64, wanted A-Z, a-z, 0-9, + or /");
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    blob += static_cast<char>(bits >> count & 0xFF);
  }
  return read(blob, place);
}

std::string Charsmap::to_base64() const {
  std::string blob;
  const auto put = [&](uint32_t value) {
    for (int i = 0; i < 4; ++i) blob += static_cast<char>(value >> 8 * i & 0xFF);
  };
  put(static_cast<uint32_t>(4 * units_.size()));
  for (const Unit& unit : units_) put(unit.bits);
  blob += texts_;
  std::string out;
  for (size_t at = 0; at < blob.size(); at += 3) {
    uint32_t bits = 0;
    const size_t bytes = std::min<size_t>(3, blob.size() - at);
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < bytes ? static_cast<unsigned char>(blob[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i) out += i <= bytes ? kBase64[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

}  // namespace jogak::text
