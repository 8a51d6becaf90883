#pragma once

#include "tensor/tensor.h"

namespace jogak {

// x in another element type: floats round to nearest even, floats to integers toward zero. x
// itself when nothing changes. Between float types the gradient is cast back; a result of
// integers has none.
Tensor to_dtype(const Tensor& x, DType dtype);

}  // namespace jogak
