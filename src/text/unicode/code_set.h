// A set of code points, as ranges in order.
#pragma once

#include <vector>

namespace jogak::text {

class CodeSet {
 public:
  struct Range {
    char32_t low, high;  // both belong to it
    bool operator==(const Range&) const = default;
  };
  static constexpr char32_t kHighest = 0x10FFFF;

  CodeSet() = default;
  CodeSet(char32_t low, char32_t high) : ranges_{{low, high}} {}
  static CodeSet all() { return {0, kHighest}; }

  void add(char32_t low, char32_t high);
  void add(const CodeSet& other);
  CodeSet inverted() const;
  CodeSet common(const CodeSet& other) const;

  bool contains(char32_t code) const;
  bool empty() const { return ranges_.empty(); }
  const std::vector<Range>& ranges() const { return ranges_; }
  bool operator==(const CodeSet&) const = default;

 private:
  std::vector<Range> ranges_;  // ascending, never touching each other
};

}  // namespace jogak::text
