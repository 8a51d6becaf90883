#pragma once

#include <cstdint>

#include "tensor/launch.h"

namespace jogak {

struct AlibiArgs {
  const float* slopes = nullptr;   // [heads]
  const bool* key_mask = nullptr;  // [batches, length], or null
  float* out = nullptr;            // [batches, heads, length]
  int64_t batches = 0, heads = 0, length = 0;
  float divisor = 1;
  bool in_bf16 = false;
};

void run(OnCpu, const AlibiArgs& a);

namespace cuda {
void run(OnCuda, const AlibiArgs& a);
}  // namespace cuda

}  // namespace jogak
