#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

// Between f32, bf16 and f16; both dense.
void cast_floats(DType from, DType to, const void* x, void* y, int64_t n);

}  // namespace jogak::cpu
