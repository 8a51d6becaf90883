// Elementwise kernels of two operands, shared by add.cpp and mul.cpp.
#pragma once

#include <cstdint>

#include "ops/broadcast.h"
#include "tensor/dtype.h"

namespace jogak::cpu {

enum class Binary : uint8_t { add, sub, mul };

// Steps 0, 1, 2 of `loops` are those of y (dense), a and b; in the last axis a and b step by 0
// or 1.
void binary(DType dtype, Binary kind, const Loops& loops, const void* a, const void* b, void* y);

void scale(DType dtype, const void* x, double factor, void* y, int64_t n);

}  // namespace jogak::cpu
