#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct BatchNormInput {
  DType dtype;
  const void* x;  // [rows, cols]
  const bool* mask;
  const void *weight, *bias;  // null: left out
  void* stats;                // [2 * cols + 1] of the sum type: means, 1 / deviations, rows counted
  int64_t rows, cols;
};

// Rows of a chunk, by shape alone.
inline int64_t batch_norm_chunk_rows(int64_t rows, int64_t cols) {
  return std::max(rows / 512 + 1, (1 << 15) / (cols + 1) + 1);
}
inline int64_t batch_norm_chunks(int64_t rows, int64_t cols) {
  const int64_t chunk = batch_norm_chunk_rows(rows, cols);
  return (rows + chunk - 1) / chunk;
}

// Fills stats from the batch and updates the running statistics.
struct BatchNormLearnArgs {
  BatchNormInput rows;
  void* partials;   // [2, chunks, cols] of the sum type
  int64_t* counts;  // [chunks]
  double eps;
  void *mean, *var;  // the running ones, of the sum type, or both null
  double momentum;
};

// Fills stats from the running statistics; 0 rows counted.
struct BatchNormRecallArgs {
  BatchNormInput rows;
  double eps;
  const void *mean, *var;
};

struct BatchNormApplyArgs {
  BatchNormInput rows;
  void* y;
};

struct BatchNormBackwardArgs {
  BatchNormInput rows;
  const void* dy;
  void *dx, *dweight, *dbias;  // null: not wanted
  bool training;
  void* partials;  // [2, chunks, cols] of the sum type; its first rows end up as the sums
};

void run(OnCpu, const BatchNormLearnArgs& a);
void run(OnCpu, const BatchNormRecallArgs& a);
void run(OnCpu, const BatchNormApplyArgs& a);
void run(OnCpu, const BatchNormBackwardArgs& a);

namespace cuda {
void run(OnCuda, const BatchNormLearnArgs& a);
void run(OnCuda, const BatchNormRecallArgs& a);
void run(OnCuda, const BatchNormApplyArgs& a);
void run(OnCuda, const BatchNormBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
