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

inline constexpr int kSumLines = 8;    // rows side by side in a block of 32 threads a line
inline constexpr int kJoinLines = 32;  // where there are few blocks, and each waits for its loads

// The sum over the lines of a block, by the first line.
template <int kLines = kSumLines, class S>
__device__ __forceinline__ S over_lines(S mine) {
  __shared__ S parts[kLines][32];
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32;
  parts[line][lane] = mine;
  __syncthreads();
  S sum = 0;
  for (int i = 0; line == 0 && i < kLines; ++i) sum += parts[i][lane];
  return sum;
}

template <class T, int kShares>
struct ColumnSums {
  T* out[kShares];
};

template <class T, int kShares>
__global__ void __launch_bounds__(32 * kJoinLines)
    add_chunks_kernel(const Sum<T>* partials, int64_t chunks, int64_t cols,
                      ColumnSums<T, kShares> to) {
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32;
  const int64_t col = static_cast<int64_t>(blockIdx.x) * 32 + lane;
  T* const out = to.out[blockIdx.y];
  if (!out) return;
  const Sum<T>* const from = partials + blockIdx.y * chunks * cols;
  Sum<T> sum = 0;
#pragma unroll 8
  for (int64_t c = line; col < cols && c < chunks; c += kJoinLines) sum += from[c * cols + col];
  sum = over_lines<kJoinLines>(sum);
  if (line == 0 && col < cols) out[col] = narrow<T>(sum);
}

// out[k][col] = the chunks' shares of k, added in an order of their own; a null one is not wanted.
template <int kShares, class T>
void add_chunks(OnCuda on, const RowChunks& c, const Sum<T>* partials, T* const (&out)[kShares]) {
  ColumnSums<T, kShares> to = {};
  for (int k = 0; k < kShares; ++k) to.out[k] = out[k];
  start(on, {.blocks = (c.cols + 31) / 32, .threads = 32 * kJoinLines, .y = kShares},
        add_chunks_kernel<T, kShares>, partials, c.count(), c.cols, to);
}

// --- the same, 16 bytes of a row at a time ---
template <class T>
constexpr int kPack = 16 / sizeof(T);

template <class T>
__device__ __forceinline__ void load_pack(const T* from, Sum<T> (&to)[kPack<T>]) {
  const auto pack = *reinterpret_cast<const Pack<T, kPack<T>>*>(from);
#pragma unroll
  for (int j = 0; j < kPack<T>; ++j) to[j] = wide(pack.at[j]);
}
// Into the cache while something else is waited for.
__device__ __forceinline__ void fetch_ahead(const void* from) {
  asm("prefetch.global.L2 [%0];" ::"l"(from));
}
template <class T>
__device__ __forceinline__ void store_pack(T* to, const Sum<T> (&from)[kPack<T>]) {
  Pack<T, kPack<T>> pack;
#pragma unroll
  for (int j = 0; j < kPack<T>; ++j) pack.at[j] = narrow<T>(from[j]);
  *reinterpret_cast<Pack<T, kPack<T>>*>(to) = pack;
}
template <class T>
bool lies_in_packs(int64_t cols, std::initializer_list<const void*> arrays) {
  return cols > 0 && cols % kPack<T> == 0 &&
         std::all_of(arrays.begin(), arrays.end(),
                     [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; });
}

// share(row, col, values): a row's numbers of kPack columns from col on.
template <int kShares, class T, class Share>
__global__ void sum_packs_kernel(RowChunks c, int64_t chunks, Sum<T>* partials, Share share) {
  using S = Sum<T>;
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32;
  const int64_t col = (static_cast<int64_t>(blockIdx.x) * 32 + lane) * kPack<T>;
  const int64_t chunk = blockIdx.y, begin = chunk * c.size;
  const int64_t end = begin + c.size < c.rows ? begin + c.size : c.rows;
  S sums[kShares][kPack<T>] = {};
#pragma unroll 2
  for (int64_t row = begin + line; col < c.cols && row < end; row += kSumLines) {
    S values[kShares][kPack<T>];
    share(row, col, values);
#pragma unroll
    for (int k = 0; k < kShares; ++k)
#pragma unroll
      for (int j = 0; j < kPack<T>; ++j) sums[k][j] += values[k][j];
  }
#pragma unroll
  for (int k = 0; k < kShares; ++k)
#pragma unroll
    for (int j = 0; j < kPack<T>; ++j) {
      const S sum = over_lines(sums[k][j]);
      if (line == 0 && col < c.cols) partials[(k * chunks + chunk) * c.cols + col + j] = sum;
      __syncthreads();
    }
}

// Chunks that keep a GPU busy where a line of 32 threads takes `wide` columns each; by shape alone.
inline RowChunks busy_chunks(int64_t rows, int64_t cols, int64_t wide) {
  constexpr int64_t kBlocks = 512, kFewest = 4 * kSumLines;  // rows of a chunk
  const int64_t across = ((cols + wide - 1) / wide + 31) / 32;
  const int64_t wanted = std::max<int64_t>(1, kBlocks / across);
  return {rows, cols, std::max(kFewest, (rows + wanted - 1) / wanted)};
}

// out[k][col] = the sum of all rows' shares of k, by shape alone. Shares are of T's packs.
template <int kShares, class T, class Out, class Share>
void sum_packs_as(OnCuda on, int64_t rows, int64_t cols, const Share& share,
                  Out* const (&out)[kShares]) {
  const int64_t across = (cols / kPack<T> + 31) / 32;
  const RowChunks c = busy_chunks(rows, cols, kPack<T>);
  const Workspace partials(on,
                           sizeof(Sum<T>) * static_cast<size_t>(kShares * c.count() * cols + 1));
  start(on, {.blocks = across, .threads = 32 * kSumLines, .y = c.count()},
        sum_packs_kernel<kShares, T, Share>, c, c.count(), partials.as<Sum<T>>(), share);
  add_chunks<kShares>(on, c, partials.as<Sum<T>>(), out);
}
template <int kShares, class T, class Share>
void sum_packs(OnCuda on, int64_t rows, int64_t cols, const Share& share,
               T* const (&out)[kShares]) {
  sum_packs_as<kShares, T>(on, rows, cols, share, out);
}

}  // namespace jogak::cuda
