// One step of gradient descent with momentum over all tensors of a model, in one kernel.
#pragma once

#include <span>

#include "ops/update_numbers.h"
#include "tensor/tensor.h"

namespace jogak {

struct SgdTensor {
  Tensor weight, grad;
  Tensor momentum;  // undefined without momentum; weight and momentum are dense
  double decay = 0;
};

struct SgdRule {
  double rate = 0, momentum = 0;
  double grad_scale = 1;  // what every gradient is multiplied by on the way
  Tensor numbers = {};    // UpdateNumbers, in place of rate and grad_scale
};

// g = grad_scale * grad + decay * weight, momentum = rule.momentum * momentum + g,
// weight -= rate * momentum (or rate * g). f32 or f64, in place, element by element.
void sgd_step(std::span<const SgdTensor> tensors, const SgdRule& rule);

}  // namespace jogak
