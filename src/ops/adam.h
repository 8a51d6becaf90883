// One step of Adam over all tensors of a model: one kernel, one pass over their memory.
#pragma once

#include <span>

#include "ops/update_numbers.h"
#include "tensor/tensor.h"

namespace jogak {

struct AdamTensor {
  Tensor weight, grad, m, v;  // one shape, f32 or f64; weight, m and v are dense
  double decay = 0;
  Tensor copy = {};  // bf16, dense: what the weight became, rounded; the gradient may be bf16 too
};

struct AdamRule {
  double rate = 0, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double grad_scale = 1;  // what every gradient is multiplied by on the way
  int64_t step = 1;       // counts from 1: for the correction of the start from zero
  Tensor numbers = {};    // UpdateNumbers, in place of rate, grad_scale and step
  bool decoupled = true;  // AdamW; otherwise decay * weight is added to the gradient
};

UpdateNumbers numbers_of(const AdamRule& rule);

// g = grad_scale * grad (+ decay * weight), m = beta1 m + (1 - beta1) g,
// v = beta2 v + (1 - beta2) g^2,
// weight = (1 - rate * decay) weight - rate m' / (sqrt(v') + eps), m' = m / (1 - beta1^step) and
// v' = v / (1 - beta2^step). In place, in the tensors' own type, element by element: the same
// bits whatever the thread count.
void adam_step(std::span<const AdamTensor> tensors, const AdamRule& rule);

}  // namespace jogak
