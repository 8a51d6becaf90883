#pragma once

#include <cstdint>
#include <span>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct SgdSlice {  // a piece of one tensor
  DType dtype;
  void* weight;
  const void* grad;
  void* momentum;  // null without
  int64_t count;
  double decay;
};

void sgd(double rate, double momentum, double grad_scale, std::span<const SgdSlice> slices);

}  // namespace jogak::cpu
