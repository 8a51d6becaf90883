#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct DropRule {
  uint64_t seed = 0, stream = 0;
  uint32_t limit = 0;  // words of the stream below it drop their element
  double scale = 1;    // of the elements that stay
};

inline DropRule drop_rule(double rate, uint64_t seed, uint64_t stream) {
  return {seed, stream, static_cast<uint32_t>(rate * 0x1p32), 1 / (1 - rate)};
}

// x is elements first .. first + n - 1 of what is dropped; first is a multiple of 4.
void dropout(DType dtype, const DropRule& rule, const void* x, void* y, int64_t n,
             uint64_t first = 0);

}  // namespace jogak::cpu
