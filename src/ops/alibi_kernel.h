#pragma once

#include <cstdint>

namespace jogak::cpu {

struct Alibi {
  const float* slopes = nullptr;   // [heads]
  const bool* key_mask = nullptr;  // [batches, length], or null
  float* out = nullptr;            // [batches, heads, length]
  int64_t batches = 0, heads = 0, length = 0;
  float divisor = 1;
  bool in_bf16 = false;
};
void alibi(const Alibi& args);

}  // namespace jogak::cpu
