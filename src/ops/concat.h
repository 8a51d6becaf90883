#pragma once

#include <span>

#include "tensor/tensor.h"

namespace jogak {

// Tensors of one dtype one after the other along an axis, all other sizes being equal; negative
// axes count from the end. At least one tensor.
Tensor concat(std::span<const Tensor> parts, int axis);

}  // namespace jogak
