#pragma once

#include <cstdint>
#include <vector>

#include "ops/update_numbers_kernel.h"
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
  UpdateNumbers numbers;
  const UpdateNumbers* there;  // null, or on the device, in place of `numbers`
  double momentum;
  std::vector<SgdPiece> tensors;
};

void run(OnCpu, const SgdArgs& a);

namespace cuda {
void run(OnCuda, const SgdArgs& a);
}  // namespace cuda

}  // namespace jogak
