#include "text/stages/charsmap.h"

#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/flat_map.h"
#include "base/utf8.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

constexpr size_t kMostMatches = 32;  // SentencePiece looks at no more starts of a text

uint32_t little_endian(std::string_view bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 0; i < 4; ++i)
    out |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return out;
}

}  // namespace

Charsmap Charsmap::read(std::string_view blob, const std::string& place) {
  ensure<FormatError>(blob.size() > 4, place, ": found ", blob.size(),
                      " bytes, wanted a size and a table");
  const size_t size = little_endian(blob, 0);
  ensure<FormatError>(size < blob.size() - 4, place, ": found a table of ", size,
                      " bytes, wanted less than the ", blob.size() - 4, " that are there");
  ensure<FormatError>(size >= 1024 && size % 1024 == 0, place, ": found a table of ", size,
                      " bytes, wanted a multiple of 1024");
  Charsmap out;
  out.units_.resize(size / 4);
  for (size_t i = 0; i < out.units_.size(); ++i) out.units_[i] = {little_endian(blob, 4 + 4 * i)};
  out.texts_ = blob.substr(4 + size);
  ensure<FormatError>(out.texts_.back() == '\0', place,
                      ": the last replacement has no end, wanted a zero byte");
  const size_t bad = utf8::first_invalid(out.texts_);
  ensure<FormatError>(bad == std::string::npos, place, ": replacement byte ", bad,
                      ": found bytes that are not UTF-8, wanted UTF-8 text");
  out.check(place);
  return out;
}

// Goes over all that can be reached: units that share a base share their children, so a text has
// many ways through the table, but none may be endless.
void Charsmap::check(const std::string& place) const {
  const auto count = static_cast<uint32_t>(units_.size());
  const auto bad = [&](uint32_t unit, const char* what, uint32_t found) {
    fail<FormatError>(place, ": unit ", unit, ": ", what, " ", found, ", wanted less than ", count);
  };
  // Children by base: those of base b are chained from first_child[b].
  std::vector<uint32_t> first_child(count, kNone), sibling(count, kNone);
  for (uint32_t unit = count - 1; unit > 0; --unit) {
    const uint32_t label = units_[unit].label();
    if (label == 0 || label > 0xFF) continue;
    const uint32_t base = unit ^ label;
    if (base >= count) continue;
    sibling[unit] = first_child[base];
    first_child[base] = unit;
  }
  enum : uint8_t { fresh, open, closed };
  std::vector<uint8_t> state(count, fresh);
  struct Visit {
    uint32_t unit, child;
  };
  std::vector<Visit> path;
  const auto enter = [&](uint32_t unit) {
    state[unit] = open;
    const uint32_t base = base_of(unit);
    // A byte leads anywhere in the block of 256 units around the base.
    if ((base | 0xFF) >= count) bad(unit, "leads to unit", base | 0xFF);
    if (units_[unit].has_value()) {
      const uint32_t value = units_[base].value();
      ensure<FormatError>(value < texts_.size(), place, ": unit ", base, ": a replacement at byte ",
                          value, ", wanted less than ", texts_.size());
      ensure<FormatError>(!continues(texts_[value]), place, ": unit ", base,
                          ": a replacement begins inside a character, at byte ", value);
    }
    path.push_back({unit, first_child[base]});
  };
  enter(0);
  while (!path.empty()) {
    auto& [unit, child] = path.back();
    if (child == kNone) {
      state[unit] = closed;
      path.pop_back();
      continue;
    }
    const uint32_t next = std::exchange(child, sibling[child]);
    ensure<FormatError>(state[next] != open, place, ": unit ", next,
                        ": the table goes in a circle, wanted a tree");
    if (state[next] == fresh) enter(next);
  }
}

std::string_view Charsmap::text_at(uint32_t value) const { return texts_.c_str() + value; }

bool Charsmap::starts_with(uint8_t byte) const {
  return byte != 0 && units_[base_of(0) ^ byte].label() == byte;
}

Charsmap::Rule Charsmap::longest(std::string_view text) const {
  Rule best;
  uint32_t base = base_of(0);
  size_t matches = 0;
  for (size_t at = 0; at < text.size() && matches < kMostMatches; ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const uint32_t unit = base ^ byte;
    if (byte == 0 || units_[unit].label() != byte) break;
    base = base_of(unit);
    if (!units_[unit].has_value()) continue;
    ++matches;
    // A rule that ends inside a character would leave bytes that are no text.
    if (at + 1 == text.size() || !continues(text[at + 1]))
      best = {at + 1, text_at(units_[base].value())};
  }
  return best;
}

Charsmap::Rule Charsmap::shortest(std::string_view text) const {
  uint32_t base = base_of(0);
  for (size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const uint32_t unit = base ^ byte;
    if (byte == 0 || units_[unit].label() != byte) break;
    base = base_of(unit);
    if (units_[unit].has_value()) return {at + 1, text_at(units_[base].value())};
  }
  return {};
}

}  // namespace jogak::text
