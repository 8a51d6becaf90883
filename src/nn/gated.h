// A feed-forward with a gate: what two of its three matrices made, as one.
#pragma once

#include "ops/activation_kind.h"
#include "tensor/tensor.h"

namespace jogak {

// act(gate) * up, of gate and up side by side: [.., 2 inner] -> [.., inner].
Tensor gated(const Tensor& both, Activation activation);

}  // namespace jogak
