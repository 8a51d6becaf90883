#pragma once

#include "tensor/tensor.h"

namespace jogak {

// Sums and means, of x's dtype: short pieces in float (double for f64), cut by the shape alone,
// added in double in their order and rounded once. The sum of nothing is 0; the mean of nothing
// is refused.
Tensor sum(const Tensor& x);   // of all elements: []
Tensor mean(const Tensor& x);  // []

// Along one axis, which goes away or stays with size 1; negative axes count from the end.
Tensor sum(const Tensor& x, int axis, bool keep = false);
Tensor mean(const Tensor& x, int axis, bool keep = false);

}  // namespace jogak
