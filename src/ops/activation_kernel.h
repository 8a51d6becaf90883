#pragma once

#include <cstdint>

#include "ops/activation_kind.h"
#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct ActivationArgs {
  DType dtype;
  Activation kind;
  const void* x;
  void* y;
  int64_t count;
};

struct ActivationBackwardArgs {  // dx = dy * slope at x
  DType dtype;
  Activation kind;
  const void *x, *dy;
  void* dx;
  int64_t count;
};

void run(OnCpu, const ActivationArgs& a);
void run(OnCpu, const ActivationBackwardArgs& a);

namespace cuda {
void run(OnCuda, const ActivationArgs& a);
void run(OnCuda, const ActivationBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
