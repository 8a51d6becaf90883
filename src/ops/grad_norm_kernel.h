#pragma once

#include <cstdint>
#include <span>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct NormSlice {  // a piece of one tensor
  DType dtype;
  const void* values;
  int64_t count, tensor;  // tensor: which sum it belongs to
};

// `partials` has room for one number a slice; slices stand in the order of their tensors.
void squared_norm(std::span<const NormSlice> slices, double* partials, int64_t tensors,
                  double* each, double* total);

}  // namespace jogak::cpu
