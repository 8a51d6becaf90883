#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

void softmax(DType dtype, const void* x, void* y, int64_t rows, int64_t cols);

// dx = y * (dy - sum(y * dy))
void softmax_backward(DType dtype, const void* y, const void* dy, void* dx, int64_t rows,
                      int64_t cols);

}  // namespace jogak::cpu
