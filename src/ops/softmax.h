#pragma once

#include "tensor/tensor.h"

namespace jogak {

// exp(x) / sum(exp(x)) over the last axis; the sum is made in float (double for f64). A row
// that is -inf everywhere gives zeros.
Tensor softmax(const Tensor& x);

// x * softmax(scores), of one shape; one pass where nobody learns.
Tensor mul_softmax(const Tensor& x, const Tensor& scores);

}  // namespace jogak
