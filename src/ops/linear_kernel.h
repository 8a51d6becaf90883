#pragma once

#include <cstdint>

#include "ops/activation_kind.h"
#include "tensor/dtype.h"

namespace jogak::cpu {

// z += bias (when given), y = act(z) (when given).
void bias_activate(DType dtype, Activation act, void* z, const void* bias, void* y, int64_t rows,
                   int64_t cols);

// dz = dy * act'(z) (when dz is given), dbias = column sums of dz (when given); rows in order.
void bias_activate_backward(DType dtype, Activation act, const void* z, const void* dy, void* dz,
                            void* dbias, int64_t rows, int64_t cols);

}  // namespace jogak::cpu
