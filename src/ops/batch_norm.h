#pragma once

#include "tensor/tensor.h"

namespace jogak {

// What training learns about the features and evaluation uses: [C] each, f32 (f64 for f64 x).
struct BatchNormState {
  Tensor running_mean, running_var;
};

struct BatchNormOptions {
  bool training = false;
  double momentum = 0.1;  // share of the new batch in the running statistics
  double eps = 1e-5;
  Tensor mask = {};  // bool [..], true where a row is real; undefined: all are
};

// (x - mean) / sqrt(var + eps) * weight + bias per feature (last axis), with mean and biased
// variance over all other axes of this batch in training, and the running ones otherwise. weight
// and bias are [C] of x's dtype, or undefined. Rows that the mask leaves out do not touch the
// statistics; they are normalised like the others.
//
// Training updates the state in place, the variance unbiased (divided by n - 1), and so wants at
// least two rows that count. An undefined state is not kept (training only). Statistics are made
// in float (double for f64) in chunks of rows cut by the shape alone, merged in double.
Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                  const BatchNormState& state, const BatchNormOptions& options);

}  // namespace jogak
