#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

// y = (x - mean) / sqrt(var + eps) * weight + bias by rows when centered; without the mean, and
// with the mean square as var, when not. Null pointers are left out.
struct NormArgs {
  DType dtype;
  bool centered;
  const void *x, *residual;  // with a residual, sum = x + residual is what is normalised
  void* sum;
  const void *weight, *bias;
  void *y, *stats;  // stats: 1 / deviation of every row, then (centered) every mean
  int64_t rows, cols;
  double eps;
};

struct NormBackwardArgs {
  DType dtype;
  bool centered;
  const void *x, *weight, *stats, *dy;
  const void* dsum;  // what else flows into dx; null: nothing
  void *dx, *dweight, *dbias;
  void* partials;  // [2, norm_chunks, cols] of the sum type, where dweight or dbias is wanted
  int64_t rows, cols;
};

// Rows whose shares of dweight and dbias are added up together: by shape alone.
inline int64_t norm_chunk_rows(int64_t rows, int64_t cols) {
  return std::max(rows / 128 + 1, 8192 / (cols + 1) + 1);
}
inline int64_t norm_chunks(int64_t rows, int64_t cols) {
  const int64_t chunk = norm_chunk_rows(rows, cols);
  return (rows + chunk - 1) / chunk;
}

void run(OnCpu, const NormArgs& a);
void run(OnCpu, const NormBackwardArgs& a);

namespace cuda {
void run(OnCuda, const NormArgs& a);
void run(OnCuda, const NormBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
