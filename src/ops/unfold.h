#pragma once

#include "tensor/tensor.h"

namespace jogak {

// Windows of `size` elements along an axis, one beginning every `step`: that axis counts the
// windows, and a new last axis runs over the elements of one. Elements past the last whole window
// are left out; windows may overlap. A view: nothing is copied. The gradient of an element is the
// sum over the windows that hold it.
//   unfold([2, 7], axis 1, size 3, step 2) -> [2, 3, 3]
Tensor unfold(const Tensor& x, int axis, int64_t size, int64_t step);

}  // namespace jogak
