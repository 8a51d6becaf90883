#pragma once

#include "ops/activation_kind.h"
#include "tensor/tensor.h"

namespace jogak {

// act(x W^T + b): x [.., in], weight [out, in], bias [out] or undefined. Sums are f32 (f64 for
// f64) in the order of gemm_cpu.h. Only what backward needs is kept: with an activation the
// values before it.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
              Activation activation = Activation::none);

}  // namespace jogak
