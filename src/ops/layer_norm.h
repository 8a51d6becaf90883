#pragma once

#include "tensor/tensor.h"

namespace jogak {

// (x - mean) / sqrt(var + eps) * weight + bias over the last axis, with the biased variance
// (divided by n). weight and bias are [C] of x's dtype, or undefined: no scale, no shift. Mean
// and variance are made in float (double for f64), the mean first.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps);

}  // namespace jogak
