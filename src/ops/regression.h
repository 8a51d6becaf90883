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

// The same mean of -t log s - (1 - t) log(1 - s) with s = 1 / (1 + exp(-logit)), for any target
// t from 0 to 1. Computed as max(x, 0) - x t + log(1 + exp(-|x|)): no logit is too large.
Tensor binary_cross_entropy(const Tensor& logits, const Tensor& target,
                            const Tensor& mask = Tensor());

}  // namespace jogak
