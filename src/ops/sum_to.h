// The way back through broadcasting.
#pragma once

#include "tensor/tensor.h"

namespace jogak {

// Sums x * other (other broadcasts to x's shape; undefined: 1) over every axis that `target` was
// repeated along. Sums are made in float (double for f64) over rows in order, long ones in pieces
// cut by the shape alone, and rounded once. Values only, no history.
Tensor sum_to(const Shape& target, const Tensor& x, const Tensor& other = {});

}  // namespace jogak
