#pragma once

#include "tensor/tensor.h"

namespace jogak {

// x / sqrt(mean(x^2) + eps) * weight over the last axis. weight is [C] of x's dtype, or
// undefined: no scale. The mean square is made in float (double for f64).
Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps);

}  // namespace jogak
