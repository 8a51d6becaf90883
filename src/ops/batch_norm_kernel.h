#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct BatchNorm {
  DType dtype;
  const void* x;  // [rows, cols]
  const bool* mask;
  const void *weight, *bias;  // null: left out
  void* stats;                // [2 * cols + 1] of the sum type: means, 1 / deviations, rows counted
  int64_t rows, cols;
};

struct BatchNormRunning {
  void *mean, *var;  // of the sum type, or both null
  double momentum;
};

// Rows of a chunk, by shape alone.
inline int64_t batch_norm_chunk_rows(int64_t rows, int64_t cols) {
  return std::max(rows / 512 + 1, (1 << 15) / (cols + 1) + 1);
}
inline int64_t batch_norm_chunks(int64_t rows, int64_t cols) {
  const int64_t chunk = batch_norm_chunk_rows(rows, cols);
  return (rows + chunk - 1) / chunk;
}

// Fills stats from the batch and updates the running statistics. `partials` is [2, chunks, cols]
// of the sum type, `counts` [chunks].
void batch_norm_learn(const BatchNorm& a, void* partials, int64_t* counts, double eps,
                      const BatchNormRunning& running);
// Fills stats from the running statistics; 0 rows counted.
void batch_norm_recall(const BatchNorm& a, double eps, const void* mean, const void* var);
void batch_norm_apply(const BatchNorm& a, void* y);

struct BatchNormBackward {
  const void* dy;
  void *dx, *dweight, *dbias;  // null: not wanted
  bool training;
  void* partials;  // [2, chunks, cols] of the sum type; its first rows end up as the sums
};
void batch_norm_backward(const BatchNorm& a, const BatchNormBackward& b);

}  // namespace jogak::cpu
