#pragma once

#include "tensor/tensor.h"

namespace jogak {

// silu(gate) * up, where silu(x) = x / (1 + exp(-x)); both of one shape. Computed in float (double
// for f64) and rounded once; backward makes both gradients in one pass.
Tensor swiglu(const Tensor& gate, const Tensor& up);

// The same on one [.., 2 C] tensor that holds gate and up side by side, as one projection makes
// them -> [.., C]: the gradient comes back in one piece.
Tensor swiglu_packed(const Tensor& gate_up);

}  // namespace jogak
