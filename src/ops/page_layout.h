// How keys and values lie in the pages of a cache.
#pragma once

#include <cstdint>

namespace jogak {

inline constexpr int64_t kPageTokens = 64;

// What a page keeps of a number: all of it, its upper half, or 8 bits and a scale that the numbers
// of one token and head share.
enum class CacheType : uint8_t { f32, bf16, q8 };

// One layer's part of a page: keys [kv_heads, key_width, 64] from float `first` on, then values
// [kv_heads, 64, value_width]. Of q8 behind the keys stand their scales f32 [kv_heads, 64], and
// behind the values theirs.
struct PageLayout {
  int64_t kv_heads = 0, key_width = 0, value_width = 0;
  int64_t first = 0;
  CacheType type = CacheType::f32;

  // Room in floats, scales included: a page is counted in them whatever it holds.
  constexpr int64_t key_size() const { return room(key_width); }
  constexpr int64_t value_size() const { return room(value_width); }
  // Of q8, where scales begin behind numbers of this width.
  constexpr int64_t scales_at(int64_t width) const { return kv_heads * width * kPageTokens / 4; }

 private:
  constexpr int64_t room(int64_t width) const {
    const int64_t count = kv_heads * width * kPageTokens;
    if (type == CacheType::bf16) return count / 2;
    return type == CacheType::q8 ? scales_at(width) + kv_heads * kPageTokens : count;
  }
};

}  // namespace jogak
