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

// The same for rows that hold a gate and its twin side by side.
struct SwigluRows {
  DType dtype = DType::f32;
  int64_t rows = 0, cols = 0;              // cols of y; x has twice as many
  const void *x = nullptr, *dy = nullptr;  // dy, dx: backward alone
  void *y = nullptr, *dx = nullptr;
};
void swiglu_packed(const SwigluRows& a);
void swiglu_packed_backward(const SwigluRows& a);

}  // namespace jogak::cpu
