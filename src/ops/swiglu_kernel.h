#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

void swiglu(DType dtype, const void* gate, const void* up, void* y, int64_t n);

struct SwigluGrad {
  const void *gate, *up, *dy;
  void *d_gate, *d_up;  // d_gate = dy * up * silu'(gate), d_up = dy * silu(gate)
};
void swiglu_backward(DType dtype, const SwigluGrad& g, int64_t n);

}  // namespace jogak::cpu
