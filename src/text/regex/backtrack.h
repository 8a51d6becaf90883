// The way to match that can do everything: tries one way after the other and remembers which
// failed, so that the time for a whole text stays within a multiple of its length.
#pragma once

#include <string_view>
#include <vector>

#include "text/regex/program.h"

namespace jogak::text::regex {

class Backtracker {
 public:
  static constexpr size_t kNoMatch = SIZE_MAX;

  Backtracker(const Program& program, std::string_view text);
  size_t match(size_t at);  // end of the match that starts there, or kNoMatch

 private:
  enum Memory : uint8_t { kUnknown, kOpen, kFails, kMatches };
  struct Choice {
    uint32_t at;  // the split
    bool second;  // whether its second way is being tried
    size_t place;
    size_t low;      // the first choice that the failures since then depend on
    size_t guesses;  // how many there were before it
  };

  size_t run(uint32_t at, size_t place, bool only_whether);
  bool enter(uint32_t at, size_t place, size_t base);  // a split; false: it fails
  void give_up(size_t base);                           // the last choice: both ways fail
  bool step(uint32_t& at, size_t& place);              // of anything but a split or end
  bool look(const Instruction& in, size_t place);
  uint32_t class_at(size_t place) const;
  uint32_t class_before(size_t place) const;

  size_t slot(uint32_t split, size_t place) const {
    return size_t{split} * (text_.size() + 1) + place;
  }
  Memory recall(size_t slot) const { return Memory(memory_[slot / 4] >> (slot % 4 * 2) & 3); }
  void remember(size_t slot, Memory value) {
    uint8_t& byte = memory_[slot / 4];
    byte =
        static_cast<uint8_t>((byte & ~(3u << (slot % 4 * 2))) | unsigned{value} << (slot % 4 * 2));
  }

  const Program& program_;
  std::string_view text_;
  uint64_t steps_left_ = 0;
  std::vector<uint8_t> memory_;  // two bits for each split and place
  std::vector<Choice> choices_;
  // A loop around something empty comes back to a choice that is still open. What fails for that
  // reason is only known to fail once the open choice has failed; until then it is a guess.
  std::vector<size_t> guesses_;
};

}  // namespace jogak::text::regex
