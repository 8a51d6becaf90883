#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct Reduce {
  DType dtype;
  int64_t outer, n, inner;  // x is [outer, n, inner], summed over n
  double divisor;           // 1 for a sum, n for a mean
};

// Elements along n of one partial sum: whole vectors along the last axis, else rows.
inline int64_t reduce_piece(const Reduce& r) {
  return r.inner == 1 ? 1 << 13 : std::clamp<int64_t>((1 << 14) / (r.inner + 1), 32, 256);
}
inline int64_t reduce_pieces(const Reduce& r) {
  return (r.n + reduce_piece(r) - 1) / reduce_piece(r);
}

// y [outer, inner]; `partials` has room for outer * pieces * inner numbers.
void reduce(const Reduce& r, const void* x, double* partials, void* y);

// dx = dy / divisor along n
void reduce_backward(const Reduce& r, const void* dy, void* dx);

}  // namespace jogak::cpu
