// A residual and the norm behind it in one pass over memory: {sum, norm(sum)} for
// sum = x + residual. Both results may be used, and both lead back to x and residual. Without a
// residual (undefined) the sum is x itself: their gradients meet in one pass, too.
#pragma once

#include <utility>

#include "tensor/tensor.h"

namespace jogak {

// The same numbers as an addition followed by layer_norm: the norm sees the rounded sum.
std::pair<Tensor, Tensor> add_layer_norm(const Tensor& x, const Tensor& residual,
                                         const Tensor& weight, const Tensor& bias, double eps);

std::pair<Tensor, Tensor> add_rms_norm(const Tensor& x, const Tensor& residual,
                                       const Tensor& weight, double eps);

}  // namespace jogak
