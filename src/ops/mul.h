#pragma once

#include "tensor/tensor.h"

namespace jogak {

Tensor mul(const Tensor& a, const Tensor& b);  // elementwise; broadcasts and sums as add does
Tensor scale(const Tensor& x, double factor);  // x * factor, any float type, rounded once

inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator*(const Tensor& x, double factor) { return scale(x, factor); }
inline Tensor operator*(double factor, const Tensor& x) { return scale(x, factor); }

}  // namespace jogak
