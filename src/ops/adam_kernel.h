#pragma once

#include <cstdint>
#include <span>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct AdamNumbers {  // of AdamRule, worked out once a step
  double grad_scale, beta1, rest1, beta2, rest2;
  double rate;  // with m's correction
  double root;  // 1 / sqrt of v's correction
  double eps;
};

struct AdamSlice {  // a piece of one tensor
  DType dtype;
  void* weight;
  const void* grad;
  void *m, *v;
  int64_t count;
  double keep, pull;  // weight is multiplied by keep; pull * weight is added to the gradient
};

void adam(const AdamNumbers& numbers, std::span<const AdamSlice> slices);

}  // namespace jogak::cpu
