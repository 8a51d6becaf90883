#include "ops/kernels/columns.cuh"
#include "ops/norm_kernel.h"

namespace jogak::cuda {
namespace {

// A block a row: the residual is added, then the mean, then the squares around it.
template <class T>
__global__ void norm_kernel(NormArgs a) {
  using S = Sum<T>;
  const int64_t first = blockIdx.x * a.cols;
  const T* x = static_cast<const T*>(a.x) + first;
  T* const y = static_cast<T*>(a.y) + first;
  S sum = 0;
  if (a.residual) {
    const T* const residual = static_cast<const T*>(a.residual) + first;
    T* const both = static_cast<T*>(a.sum) + first;
    for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
      both[j] = narrow<T>(wide(x[j]) + wide(residual[j]));
      sum += wide(both[j]);
    }
    x = both;  // every thread goes on with what it wrote itself
  } else if (a.centered) {
    for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) sum += wide(x[j]);
  }
  const S n = static_cast<S>(a.cols), mean = a.centered ? sum_over_block(sum) / n : S{0};
  S squares = 0;
  for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
    const S v = wide(x[j]) - mean;
    squares += v * v;
  }
  const S rstd = S{1} / sqrt(sum_over_block(squares) / n + static_cast<S>(a.eps));
  const T *const weight = static_cast<const T*>(a.weight), *const bias =
                                                               static_cast<const T*>(a.bias);
  for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
    S v = (wide(x[j]) - mean) * rstd;
    if (weight) v *= wide(weight[j]);
    if (bias) v += wide(bias[j]);
    y[j] = narrow<T>(v);
  }
  if (!a.stats || threadIdx.x > 0) return;
  S* const stats = static_cast<S*>(a.stats);
  stats[blockIdx.x] = rstd;
  if (a.centered) stats[a.rows + blockIdx.x] = mean;
}

// dx = rstd (g - mean(g) - xhat mean(g xhat)) + dsum with g = dy weight; no mean(g) when the mean
// was not taken off.
template <class T>
__global__ void norm_backward_kernel(NormBackwardArgs a) {
  using S = Sum<T>;
  const int64_t first = blockIdx.x * a.cols;
  const T *const x = static_cast<const T*>(a.x) + first, *const dy =
                                                             static_cast<const T*>(a.dy) + first;
  const T* const weight = static_cast<const T*>(a.weight);
  const T* const dsum = a.dsum ? static_cast<const T*>(a.dsum) + first : nullptr;
  T* const dx = static_cast<T*>(a.dx) + first;
  const S* const stats = static_cast<const S*>(a.stats);
  const S rstd = stats[blockIdx.x], mean = a.centered ? stats[a.rows + blockIdx.x] : S{0};
  const S n = static_cast<S>(a.cols);
  const auto through = [&](int64_t j) {
    return weight ? wide(dy[j]) * wide(weight[j]) : wide(dy[j]);
  };
  S flat = 0, slope = 0;
  for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
    const S g = through(j);
    flat += g;
    slope += g * ((wide(x[j]) - mean) * rstd);
  }
  flat = a.centered ? sum_over_block(flat) / n : S{0};
  slope = sum_over_block(slope) / n;
  for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
    S v = rstd * (through(j) - flat - (wide(x[j]) - mean) * rstd * slope);
    if (dsum) v += wide(dsum[j]);
    dx[j] = narrow<T>(v);
  }
}

// Shares of a row in dweight (dy * xhat) and dbias (dy).
template <class T>
struct NormShares {
  NormBackwardArgs a;
  __device__ void operator()(int64_t row, int64_t col, Sum<T> (&share)[2]) const {
    using S = Sum<T>;
    const S* const stats = static_cast<const S*>(a.stats);
    const S dy = wide(static_cast<const T*>(a.dy)[row * a.cols + col]);
    const S mean = a.centered ? stats[a.rows + row] : S{0};
    const S x = wide(static_cast<const T*>(a.x)[row * a.cols + col]);
    share[0] = dy * ((x - mean) * stats[row]);
    share[1] = dy;
  }
};

}  // namespace

void run(OnCuda on, const NormArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    start(on, {.blocks = a.rows, .threads = threads_for_row(a.cols)}, norm_kernel<T>, a);
  });
}

void run(OnCuda on, const NormBackwardArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    if (a.dx)
      start(on, {.blocks = a.rows, .threads = threads_for_row(a.cols)}, norm_backward_kernel<T>, a);
    if (!a.dweight && !a.dbias) return;
    const RowChunks chunks{a.rows, a.cols, norm_chunk_rows(a.rows, a.cols)};
    auto* const partials = static_cast<Sum<T>*>(a.partials);
    sum_rows<2>(on, chunks, partials, NormShares<T>{a});
    T* const out[] = {static_cast<T*>(a.dweight), static_cast<T*>(a.dbias)};
    add_chunks<2>(on, chunks, partials, out);
  });
}

}  // namespace jogak::cuda
