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

// What an optimizer makes of a summed loss and a squared norm, sums [2], decided where they are:
// scale[0] = share * clip_factor(sqrt(sums[1]) * share, limit), and scale[1] = 1, or 0 where one
// of them is not finite or a kernel met what it cannot read, so that nothing may change. f64.
void update_scale(const Tensor& sums, double share, double limit, const Tensor& scale);
const double* decided_at(const Tensor& scale);  // for a kernel; null where it is undefined

}  // namespace jogak
