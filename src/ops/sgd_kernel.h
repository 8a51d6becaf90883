#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct SgdPiece {  // one tensor, or a part of it
  DType dtype;
  void* weight;
  const void* grad;
  void* momentum;  // null without
  int64_t count;
  double decay;
};

struct SgdArgs {
  double rate, momentum, grad_scale;
  const double* decided;  // null, or grad_scale and whether anything may change
  std::vector<SgdPiece> tensors;
};

void run(OnCpu, const SgdArgs& a);

namespace cuda {
void run(OnCuda, const SgdArgs& a);
}  // namespace cuda

}  // namespace jogak
