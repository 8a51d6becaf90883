#pragma once

#include <cstdint>
#include <vector>

#include "ops/update_numbers_kernel.h"
#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct AdamPiece {  // one tensor, or a part of it
  DType dtype;
  void* weight;
  const void* grad;
  void *m, *v;
  int64_t count;
  double shrink, pull;  // weight loses rate * shrink of itself; pull * weight joins the gradient
  bool short_grad;      // the gradient is bf16
  void* copy;           // null, or the new weight in bf16
};

struct AdamArgs {
  UpdateNumbers numbers;
  const UpdateNumbers* there;  // null, or on the device, in place of `numbers`
  double beta1, beta2, eps;
  std::vector<AdamPiece> tensors;
};

void run(OnCpu, const AdamArgs& a);

namespace cuda {
void run(OnCuda, const AdamArgs& a);
}  // namespace cuda

}  // namespace jogak
