// How large gradients are: sums of squares over all tensors of a model, in one kernel.
#pragma once

#include <span>

#include "tensor/tensor.h"

namespace jogak {

// each[i] = sum of the squares of tensors[i], total = the sum over all: f64 [n] and f64 []. Every
// square is made and added in double, pieces of fixed length in their order: the same bits
// whatever the thread count. A NaN or infinity anywhere makes `total` one too; a finite float
// cannot. The numbers stay on the device.
void squared_norm(std::span<const Tensor> tensors, const Tensor& each, const Tensor& total);

// The factor that brings a gradient of this norm down to `limit`: 1 when it is no longer than
// that, or when the limit is 0 (off).
constexpr double clip_factor(double norm, double limit) {
  return limit > 0 && norm > limit ? limit / norm : 1;
}

}  // namespace jogak
