#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct SoftmaxArgs {
  DType dtype;
  const void* x;
  const void* times;  // what the weights are multiplied by, rounded before; null: nothing
  void* y;
  int64_t rows, cols;
};

struct SoftmaxBackwardArgs {  // dx = y * (dy - sum(y * dy))
  DType dtype;
  const void *y, *dy;
  void* dx;
  int64_t rows, cols;
};

void run(OnCpu, const SoftmaxArgs& a);
void run(OnCpu, const SoftmaxBackwardArgs& a);

namespace cuda {
void run(OnCuda, const SoftmaxArgs& a);
void run(OnCuda, const SoftmaxBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
