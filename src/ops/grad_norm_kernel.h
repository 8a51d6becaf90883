#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

inline constexpr int64_t kNormPiece = 1 << 15;  // elements of one partial sum

struct NormPiece {  // one tensor, or a part of it
  DType dtype;
  const void* values;
  int64_t count, tensor;  // tensor: which sum it belongs to
};

struct SquaredNormArgs {
  std::vector<NormPiece> tensors;
  double* partials;  // room for one number a piece of kNormPiece elements
  double *each, *total;
};

void run(OnCpu, const SquaredNormArgs& a);

namespace cuda {
void run(OnCuda, const SquaredNormArgs& a);
}  // namespace cuda

}  // namespace jogak
