#pragma once

#include <cstdint>

#include "ops/activation_kind.h"
#include "tensor/dtype.h"

namespace jogak::cpu {

void activate(DType dtype, Activation kind, const void* x, void* y, int64_t n);

// dx = dy * slope at x
void activate_backward(DType dtype, Activation kind, const void* x, const void* dy, void* dx,
                       int64_t n);

}  // namespace jogak::cpu
