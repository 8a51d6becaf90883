// The fast way to match: all states are worked out beforehand, then each character is one look
// into a table.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "text/regex/program.h"
#include "text/unicode/unicode.h"

namespace jogak::text::regex {

class Dfa {
 public:
  static constexpr size_t kNoMatch = SIZE_MAX;

  // Nothing when the program has parts that need more than a table, or the table gets too large.
  static std::unique_ptr<Dfa> make(const Program& program);

  // End of the match that starts at `at`, or kNoMatch. `looked` is where reading stopped.
  size_t match(std::string_view text, size_t at, size_t& looked) const;

 private:
  friend class DfaBuilder;
  uint32_t start(std::string_view text, size_t at) const;

  const Program* program_ = nullptr;
  uint32_t width_ = 0;            // classes and the end
  std::vector<uint32_t> table_;   // by state and class: next state * 2 + whether a match ends here
  std::vector<uint32_t> starts_;  // by class of the character before
  uint8_t ascii_[128] = {};
};

}  // namespace jogak::text::regex
