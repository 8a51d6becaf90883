#include "ops/kernels/columns.cuh"
#include "ops/sum_to_kernel.h"

namespace jogak::cuda {
namespace {

// Where row `index` of these axes begins in x and in other.
__device__ __forceinline__ void step(const SumAxes& axes, int64_t index, int64_t& x,
                                     int64_t& other) {
  for (int axis = axes.rank - 1; axis >= 0; --axis) {
    const int64_t above = index / axes.size[axis], at = index - above * axes.size[axis];
    x += at * axes.x[axis];
    other += at * axes.other[axis];
    index = above;
  }
}

template <class T>
__device__ __forceinline__ Sum<T> term(const T* x, const T* other, int64_t at, int64_t by) {
  const Sum<T> v = wide(x[at]);
  return other ? v * wide(other[by]) : v;
}

// One number a column of an output row, over the rows of one chunk.
template <class T>
struct ColumnOfChunk {
  SumPlan p;
  const T *x, *other;
  Sum<T>* partial;  // [chunks, outputs], or
  T* y;             // the result, where there is but one chunk
  __device__ void operator()(int64_t i) const { give(i, share(i, 0, 1)); }
  // Of every `apart`-th row.
  __device__ __forceinline__ Sum<T> share(int64_t i, int64_t first, int64_t apart) const {
    const int64_t chunk = i / p.outputs, output = i - chunk * p.outputs;
    const int64_t kept = output / p.inner, col = output - kept * p.inner;
    const int64_t end = (chunk + 1) * p.chunk < p.rows ? (chunk + 1) * p.chunk : p.rows;
    Sum<T> sum = 0;
#pragma unroll 4
    for (int64_t row = chunk * p.chunk + first; row < end; row += apart) {
      int64_t at = col, by = col * p.inner_other;
      step(p.kept, kept, at, by);
      step(p.summed, row, at, by);
      sum += term(x, other, at, by);
    }
    return sum;
  }
  __device__ __forceinline__ void give(int64_t i, Sum<T> sum) const {
    if (partial)
      partial[i] = sum;
    else
      y[i] = narrow<T>(sum);
  }
};

// Many rows of a chunk: the lines of a block take them in turn.
constexpr int64_t kManyRows = 8 * kJoinLines;
template <class T>
__global__ void __launch_bounds__(32 * kJoinLines)
    lines_kernel(ColumnOfChunk<T> column, int64_t count) {
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * 32 + lane;
  const Sum<T> sum = over_lines<kJoinLines>(i < count ? column.share(i, line, kJoinLines) : 0);
  if (line == 0 && i < count) column.give(i, sum);
}

// A block an output and chunk: rows that are summed up whole.
template <class T>
__global__ void rows_kernel(SumPlan p, const T* x, const T* other, Sum<T>* partial, T* y) {
  const int64_t chunk = blockIdx.x / p.outputs, kept = blockIdx.x - chunk * p.outputs;
  const int64_t end = (chunk + 1) * p.chunk < p.rows ? (chunk + 1) * p.chunk : p.rows;
  const int64_t segment = (p.inner + p.segments - 1) / p.segments;
  Sum<T> sum = 0;
  for (int64_t row = chunk * p.chunk; row < end; ++row) {
    const int64_t from = row % p.segments * segment;
    const int64_t n = from + segment < p.inner ? segment : p.inner - from;
    int64_t at = from, by = from * p.inner_other;
    step(p.kept, kept, at, by);
    step(p.summed, row / p.segments, at, by);
    for (int64_t j = threadIdx.x; j < n; j += blockDim.x)
      sum += term(x, other, at + j, by + j * p.inner_other);
  }
  sum = sum_over_block(sum);
  if (threadIdx.x > 0) return;
  if (partial)
    partial[blockIdx.x] = sum;
  else
    y[blockIdx.x] = narrow<T>(sum);
}

template <class T>
struct AddChunk {
  const Sum<T>* partial;
  T* y;
  int64_t chunks, outputs;
  __device__ void operator()(int64_t i) const {
    Sum<T> sum = 0;
    for (int64_t c = 0; c < chunks; ++c) sum += partial[c * outputs + i];
    y[i] = narrow<T>(sum);
  }
};

}  // namespace

void run(OnCuda on, const SumToArgs& a) {
  const SumPlan& p = a.plan;
  for_float(a.dtype, [&]<class T>() {
    const T *const x = static_cast<const T*>(a.x), *const other = static_cast<const T*>(a.other);
    T* const y = static_cast<T*>(a.y);
    auto* const partial = p.chunks > 1 ? static_cast<Sum<T>*>(a.partial) : nullptr;
    const int64_t columns = p.chunks * p.outputs;
    if (p.inner_kept && std::min(p.chunk, p.rows) >= kManyRows)
      start(on, {.blocks = (columns + 31) / 32, .threads = 32 * kJoinLines}, lines_kernel<T>,
            ColumnOfChunk<T>{p, x, other, partial, y}, columns);
    else if (p.inner_kept)
      each(on, columns, ColumnOfChunk<T>{p, x, other, partial, y});
    else
      start(on, {.blocks = p.chunks * p.outputs, .threads = threads_for_row(p.inner)},
            rows_kernel<T>, p, x, other, partial, y);
    if (partial) each(on, p.outputs, AddChunk<T>{partial, y, p.chunks, p.outputs});
  });
}

}  // namespace jogak::cuda
