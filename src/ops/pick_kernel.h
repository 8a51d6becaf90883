#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

void argmax(DType dtype, const void* x, int64_t* ids, int64_t rows, int64_t cols);

// values and ids [rows, k]
void top_k(DType dtype, const void* x, void* values, int64_t* ids, int64_t rows, int64_t cols,
           int64_t k);

// dx = zeros, then dvalues at ids
void top_k_backward(DType dtype, const void* dvalues, const int64_t* ids, void* dx, int64_t rows,
                    int64_t cols, int64_t k);

}  // namespace jogak::cpu
