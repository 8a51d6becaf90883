#pragma once

#include "tensor/tensor.h"

namespace jogak {

// Rows of weight [V, C] chosen by ids (i64, any shape [..]) -> [.., C]. An id outside 0 .. V-1 is
// an error that names it. The gradient of the weight is dense [V, C]; a row chosen several times
// gets the sum in order of its places, made in float (double for f64) and rounded once. The row
// `constant` gets none: a padding token's, as in PyTorch's padding_idx. -1: no such row.
Tensor embedding(const Tensor& weight, const Tensor& ids, int64_t constant = -1);

}  // namespace jogak
