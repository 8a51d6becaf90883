#pragma once

#include "tensor/tensor.h"

namespace jogak {

// Elementwise with numpy's broadcasting; both of one float type. Computed in float (double for
// f64), rounded once. The gradient of an operand that was repeated is the sum over the repeats,
// made in float (double for f64) in an order fixed by the shapes.
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }

}  // namespace jogak
