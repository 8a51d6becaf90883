#include "text/unicode/grapheme.h"

#include <algorithm>

#include "text/unicode/grapheme_tables.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

enum Cluster : uint8_t {
  kGlue = 1,
  kPrepend = 2,
  kControl = 4,
  kPicture = 8,
  kConsonant = 16,
  kLinker = 32,
  kConjunct = 64
};

constexpr char32_t kJoiner = 0x200D;
constexpr size_t kLongestHeld = 128;  // bytes; a family of four with skin tones has 41

uint8_t cluster_class(char32_t code) {
  const auto* const end = kClusterRuns + kClusterRunCount;
  const auto* const run = std::upper_bound(kClusterRuns, end, (code << 7) | 127);
  return run[-1] & 127;
}

// Of jamo: leading consonant, vowel, trailing consonant. Whole syllables end with the last two.
enum class Hangul : uint8_t { none, leading, vowel, trailing, open_syllable, closed_syllable };

Hangul hangul_of(char32_t code) {
  const auto within = [&](char32_t from, char32_t to) { return code >= from && code <= to; };
  if (within(0x1100, 0x115F) || within(0xA960, 0xA97C)) return Hangul::leading;
  if (within(0x1160, 0x11A7) || within(0xD7B0, 0xD7C6)) return Hangul::vowel;
  if (within(0x11A8, 0x11FF) || within(0xD7CB, 0xD7FB)) return Hangul::trailing;
  if (!within(0xAC00, 0xD7A3)) return Hangul::none;
  return (code - 0xAC00) % 28 == 0 ? Hangul::open_syllable : Hangul::closed_syllable;
}

bool one_syllable(Hangul before, Hangul after) {
  switch (before) {
    case Hangul::leading: return after != Hangul::none && after != Hangul::trailing;
    case Hangul::vowel:
    case Hangul::open_syllable: return after == Hangul::vowel || after == Hangul::trailing;
    case Hangul::trailing:
    case Hangul::closed_syllable: return after == Hangul::trailing;
    default: return false;
  }
}

bool is_flag_letter(char32_t code) { return code >= 0x1F1E6 && code <= 0x1F1FF; }

// What of a cluster decides whether the next character belongs to it.
class Walk {
 public:
  explicit Walk(char32_t code) { take(code, cluster_class(code)); }

  bool goes_on_with(char32_t code) {
    const uint8_t after = cluster_class(code);
    const bool joined = joins(code, after);
    if (joined) take(code, after);
    return joined;
  }

  // Whether it is a syllable of jamo, an emoji or a flag that may not be complete.
  bool may_go_on() const {
    const Hangul hangul = hangul_of(last_);
    return picture_ || single_flag_letter_ ||
           (hangul >= Hangul::leading && hangul <= Hangul::trailing);
  }

 private:
  bool joins(char32_t code, uint8_t after) const {
    if (last_ == '\r' && code == '\n') return true;
    if (((before_ | after) & kControl) != 0) return false;
    if ((after & kGlue) != 0 || (before_ & kPrepend) != 0) return true;
    if (one_syllable(hangul_of(last_), hangul_of(code))) return true;
    if (single_flag_letter_ && is_flag_letter(code)) return true;
    if (linked_ && (after & kConsonant) != 0) return true;
    return picture_ && last_ == kJoiner && (after & kPicture) != 0;
  }

  void take(char32_t code, uint8_t now) {
    const bool between = consonant_ && (now & (kLinker | kConjunct)) != 0;
    linked_ = between && (linked_ || (now & kLinker) != 0);
    consonant_ = between || (now & kConsonant) != 0;
    picture_ = (now & kPicture) != 0 || (picture_ && (now & kGlue) != 0);
    single_flag_letter_ = is_flag_letter(code) && !is_flag_letter(last_);
    before_ = now;
    last_ = code;
  }

  uint8_t before_ = 0;
  char32_t last_ = 0;
  bool picture_ = false;             // and only glue since
  bool consonant_ = false;           // and only what may stand between two of them
  bool linked_ = false;              // and a linker among that
  bool single_flag_letter_ = false;  // one without a partner
};

Walk walk_cluster(std::string_view text, size_t& size) {
  const Code first = code_at(text.data());
  Walk walk(first.value);
  size = static_cast<size_t>(first.size);
  while (size < text.size()) {
    const Code next = code_at(text.data() + size);
    if (!walk.goes_on_with(next.value)) break;
    size += static_cast<size_t>(next.size);
  }
  return walk;
}

}  // namespace

size_t cluster_size(std::string_view text) {
  size_t size = 0;
  if (!text.empty()) walk_cluster(text, size);
  return size;
}

size_t whole_characters(std::string_view text) {
  // Most text ends with something that is never held back; else the last cluster is looked for.
  if (text.empty() || static_cast<unsigned char>(text.back()) < 0x80) return text.size();
  for (size_t at = 0; at < text.size();) {
    size_t size = 0;
    const Walk walk = walk_cluster(text.substr(at), size);
    if (at + size == text.size()) return walk.may_go_on() && size <= kLongestHeld ? at : at + size;
    at += size;
  }
  return text.size();
}

}  // namespace jogak::text
