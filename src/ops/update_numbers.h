// What one update of the weights goes by, where the device reads it: kernels of an update can be
// sent before the host knows the loss, or recorded once and started with other numbers.
#pragma once

#include "ops/update_numbers_kernel.h"
#include "tensor/tensor.h"

namespace jogak {

Tensor update_numbers(Device& device);  // f64, of one UpdateNumbers
void set(const Tensor& numbers, const UpdateNumbers& values);
const UpdateNumbers* on_device(const Tensor& numbers);  // for a kernel; null where undefined

// Decides, where they are, what an optimizer makes of a summed loss and a squared norm, sums f64
// [2]: scale = share * clip_factor(sqrt(sums[1]) * share, limit), and allowed = 1, or 0 where one
// of them is not finite or a kernel met what it cannot read.
void update_scale(const Tensor& sums, const Tensor& numbers);

}  // namespace jogak
