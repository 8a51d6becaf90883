// Finds many strings in a text at once, in time linear in the text however the strings look.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"

namespace jogak::text {

class Matcher {
 public:
  struct Hit {
    size_t from, to;
    int pattern;
  };

  void add(std::string_view pattern);  // not empty; patterns are numbered from 0
  void finish();                       // after the last pattern, before find()

  // Leftmost matches, of those at one place the longest; none overlaps another.
  std::vector<Hit> find(std::string_view text) const;
  // Of every place the longest that starts there, whether it overlaps another or not.
  std::vector<Hit> find_all(std::string_view text) const;
  bool empty() const { return sizes_.empty(); }

 private:
  struct State {
    uint32_t parent = 0, fail = 0;
    uint32_t best = kNone;  // longest pattern that starts at the byte read last
    uint32_t depth = 0;
    unsigned char byte = 0;
  };
  static uint64_t edge(uint32_t state, unsigned char byte) {
    return static_cast<uint64_t>(state) << 8 | byte;
  }
  uint32_t step(uint32_t state, unsigned char byte) const;

  // Aho and Corasick's automaton over the reversed patterns, run from the end of the text: then
  // each place knows the longest pattern that starts there.
  std::vector<State> states_{State{}};
  FlatMap edges_;
  std::vector<size_t> sizes_;  // of the patterns
  std::array<bool, 256> ends_{};
  int only_end_ = -1;  // the one byte all patterns end in
};

}  // namespace jogak::text
