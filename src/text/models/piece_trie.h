// A set of strings, walked byte by byte: which strings start here? Nodes lie level by level, the
// children of one node side by side, so building is linear in the bytes and needs no searching.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/flat_map.h"

namespace jogak::text {

class PieceTrie {
 public:
  struct Entry {
    std::string_view key;  // not empty; no key comes twice
    uint32_t value;        // below kNone
  };

  PieceTrie() : PieceTrie(std::vector<Entry>{}) {}
  explicit PieceTrie(std::vector<Entry> entries);

  static constexpr uint32_t kRoot = 0;

  // The node one byte further, kNone when no string goes on like this.
  uint32_t step(uint32_t node, unsigned char byte) const {
    if (node == kRoot) return root_[byte];
    const uint32_t first = first_[node], count = first_[node + 1] - first;
    if (count == 0) return kNone;
    const uint8_t* const labels = labels_.data() + first;
    if (count == 1) return labels[0] == byte ? first : kNone;
    const void* const at = std::memchr(labels, byte, count);
    if (!at) return kNone;
    return first + static_cast<uint32_t>(static_cast<const uint8_t*>(at) - labels);
  }

  // Of the string that ends at this node; kNone when none does.
  uint32_t value(uint32_t node) const { return values_[node]; }

  bool empty() const { return labels_.size() == 1; }

  struct Match {
    size_t size = 0;  // 0: no string starts the text
    uint32_t value = kNone;
  };
  Match longest(std::string_view text) const;

 private:
  std::vector<uint8_t> labels_;   // by node: the byte that leads to it
  std::vector<uint32_t> first_;   // by node: its first child; the next node's is the end
  std::vector<uint32_t> values_;  // by node
  std::array<uint32_t, 256> root_{};
};

}  // namespace jogak::text
