// Gradients against central differences in double precision.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "autograd/autograd.h"

namespace jogak::test {

using Function = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

// sum over outputs of <y, w>, with fixed random w: one number that depends on every element.
Tensor weighted_sum(std::span<const Tensor> outputs);

// Inputs must be f64 where floating; integer inputs are passed through. Every element (or 128
// chosen ones of a large tensor) must agree within atol 1e-6 + rtol 1e-4 |numeric|.
void expect_gradient(const Function& f, std::span<const Tensor> inputs);

// Gradients of weighted_sum(f(inputs)) for the floating inputs, in order.
std::vector<Tensor> gradients_of(const Function& f, std::span<const Tensor> inputs);

}  // namespace jogak::test
