// Sums over the rows of a matrix, a number a column: chunks of rows first, then the chunks in their
// order. What is added up comes from a struct, so that nothing is written before it is summed.
#pragma once

#include "tensor/cuda.cuh"

namespace jogak::cuda {

struct RowChunks {
  int64_t rows, cols, size;  // size: rows of a chunk
  int64_t count() const { return (rows + size - 1) / size; }
};

// partials [kShares, chunks, cols]: share(row, col, values) gives a row's numbers.
template <int kShares, class S, class Share>
__global__ void sum_rows_kernel(RowChunks c, int64_t chunks, S* partials, Share share) {
  const int64_t col = first_index(), chunk = blockIdx.y;
  if (col >= c.cols) return;
  const int64_t begin = chunk * c.size, end = begin + c.size < c.rows ? begin + c.size : c.rows;
  S sums[kShares] = {};
#pragma unroll 4
  for (int64_t row = begin; row < end; ++row) {
    S values[kShares];
    share(row, col, values);
    for (int k = 0; k < kShares; ++k) sums[k] += values[k];
  }
  for (int k = 0; k < kShares; ++k) partials[(k * chunks + chunk) * c.cols + col] = sums[k];
}

template <int kShares, class S, class Share>
void sum_rows(OnCuda on, const RowChunks& c, S* partials, const Share& share) {
  constexpr int kThreads = 128;
  start(on, {.blocks = (c.cols + kThreads - 1) / kThreads, .threads = kThreads, .y = c.count()},
        sum_rows_kernel<kShares, S, Share>, c, c.count(), partials, share);
}

template <class T>
__global__ void add_chunks_kernel(const Sum<T>* partials, int64_t chunks, int64_t cols, T* out) {
  const int64_t col = first_index();
  if (col >= cols) return;
  Sum<T> sum = 0;
  for (int64_t c = 0; c < chunks; ++c) sum += partials[c * cols + col];
  out[col] = narrow<T>(sum);
}

// out[k][col] = the chunks' shares of k, added in their order; a null one is not wanted.
template <int kShares, class T>
void add_chunks(OnCuda on, const RowChunks& c, const Sum<T>* partials, T* const (&out)[kShares]) {
  constexpr int kThreads = 128;
  for (int k = 0; k < kShares; ++k)
    if (out[k])
      start(on, {.blocks = (c.cols + kThreads - 1) / kThreads, .threads = kThreads},
            add_chunks_kernel<T>, partials + k * c.count() * c.cols, c.count(), c.cols, out[k]);
}

}  // namespace jogak::cuda
