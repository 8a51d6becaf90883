// How keys and values lie in the pages of a cache.
#pragma once

#include <cstdint>

namespace jogak {

inline constexpr int64_t kPageTokens = 64;

// One layer's part of a page, f32: keys [kv_heads, key_width, 64] from element `first` on, then
// values [kv_heads, 64, value_width].
struct PageLayout {
  int64_t kv_heads = 0, key_width = 0, value_width = 0;
  int64_t first = 0;
  constexpr int64_t key_size() const { return kv_heads * key_width * kPageTokens; }
  int64_t value_size() const { return kv_heads * kPageTokens * value_width; }
};

}  // namespace jogak
