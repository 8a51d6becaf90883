#pragma once

#include <span>

#include "tensor/tensor.h"

namespace jogak {

// Views with axes in another order; negative axes count from the end.
Tensor transpose(const Tensor& x, int axis_a, int axis_b);
Tensor permute(const Tensor& x, std::span<const int> axes);  // axis i of the result is axes[i] of x

}  // namespace jogak
