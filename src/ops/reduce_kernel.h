#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct ReduceShape {
  DType dtype;
  int64_t outer, n, inner;  // x is [outer, n, inner], summed over n
  double divisor;           // 1 for a sum, n for a mean
};

// Elements along n of one partial sum: whole vectors along the last axis, else rows.
inline int64_t reduce_piece(const ReduceShape& r) {
  return r.inner == 1 ? 1 << 13 : std::clamp<int64_t>((1 << 14) / (r.inner + 1), 32, 256);
}
inline int64_t reduce_pieces(const ReduceShape& r) {
  return (r.n + reduce_piece(r) - 1) / reduce_piece(r);
}

struct ReduceArgs {
  ReduceShape shape;
  const void* x;
  double* partials;  // room for outer * pieces * inner numbers
  void* y;           // [outer, inner]
};

struct ReduceBackwardArgs {  // dx = dy / divisor along n
  ReduceShape shape;
  const void* dy;
  void* dx;
};

void run(OnCpu, const ReduceArgs& a);
void run(OnCpu, const ReduceBackwardArgs& a);

namespace cuda {
void run(OnCuda, const ReduceArgs& a);
void run(OnCuda, const ReduceBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
