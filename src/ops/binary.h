// What add.cpp and mul.cpp share.
#pragma once

#include "ops/binary_kernel.h"
#include "tensor/tensor.h"

namespace jogak {

// a (+, -, *) b with broadcasting; values only, no history. Errors name the op.
Tensor binary(const char* op, Binary kind, const Tensor& a, const Tensor& b);

}  // namespace jogak
