#pragma once

#include "tensor/tensor.h"

namespace jogak {

// The same elements in row-major order under another shape; one size may be -1, which is then
// whatever fits. Shares storage with a dense x, copies otherwise.
Tensor reshape(const Tensor& x, const Shape& shape);

Tensor contiguous(const Tensor& x);  // x itself when dense, else a packed copy

}  // namespace jogak
