#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct AdamNumbers {  // of AdamRule, worked out once a step
  double grad_scale, beta1, rest1, beta2, rest2;
  double rate;  // with m's correction
  double root;  // 1 / sqrt of v's correction
  double eps;
};

struct AdamPiece {  // one tensor, or a part of it
  DType dtype;
  void* weight;
  const void* grad;
  void *m, *v;
  int64_t count;
  double keep, pull;  // weight is multiplied by keep; pull * weight is added to the gradient
  bool short_grad;    // the gradient is bf16
  void* copy;         // null, or the new weight in bf16
};

struct AdamArgs {
  AdamNumbers numbers;
  const double* decided;  // null, or grad_scale and whether anything may change
  std::vector<AdamPiece> tensors;
};

void run(OnCpu, const AdamArgs& a);

namespace cuda {
void run(OnCuda, const AdamArgs& a);
}  // namespace cuda

}  // namespace jogak
