#pragma once

#include "tensor/tensor.h"

namespace jogak {

// a [.., m, k] times b [.., k, n] over equal leading axes; b may also be a single [k, n].
// Transposed views are read in place. Sums as in gemm_cpu.h.
Tensor matmul(const Tensor& a, const Tensor& b);

}  // namespace jogak
