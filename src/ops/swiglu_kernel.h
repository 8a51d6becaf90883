#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct SwigluArgs {
  DType dtype;
  const void *gate, *up;
  void* y;
  int64_t count;
};

struct SwigluBackwardArgs {
  DType dtype;
  const void *gate, *up, *dy;
  void *d_gate, *d_up;  // d_gate = dy * up * silu'(gate), d_up = dy * silu(gate)
  int64_t count;
};

// The same for rows that hold a gate and its twin side by side: cols of y, x has twice as many.
struct SwigluPackedArgs {
  DType dtype;
  int64_t rows, cols;
  const void* x;
  void* y;
};

struct SwigluPackedBackwardArgs {
  DType dtype;
  int64_t rows, cols;
  const void *x, *dy;
  void* dx;
};

void run(OnCpu, const SwigluArgs& a);
void run(OnCpu, const SwigluBackwardArgs& a);
void run(OnCpu, const SwigluPackedArgs& a);
void run(OnCpu, const SwigluPackedBackwardArgs& a);

namespace cuda {
void run(OnCuda, const SwigluArgs& a);
void run(OnCuda, const SwigluBackwardArgs& a);
void run(OnCuda, const SwigluPackedArgs& a);
void run(OnCuda, const SwigluPackedBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
