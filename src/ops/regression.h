// Losses between numbers. The loss is [] and f32 whatever the inputs (f64 for f64): differences
// are made and added in that type, pieces of fixed length in double in their order.
#pragma once

#include "tensor/tensor.h"

namespace jogak {

// Mean of (prediction - target)^2, and of |prediction - target|, over all elements, or over those
// where the mask (bool of the same shape) is true; 0 when there are none. What is masked out may
// hold anything, NaN included. The slope of mae at 0 is 0.
Tensor mse(const Tensor& prediction, const Tensor& target, const Tensor& mask = Tensor());
Tensor mae(const Tensor& prediction, const Tensor& target, const Tensor& mask = Tensor());

}  // namespace jogak
