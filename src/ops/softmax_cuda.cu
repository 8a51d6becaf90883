#include "ops/softmax_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

// A block a row.
template <class T>
__global__ void softmax_kernel(const T* all, const T* times, T* out, int64_t cols) {
  using S = Sum<T>;
  const T* const x = all + blockIdx.x * cols;
  const T* const by = times ? times + blockIdx.x * cols : nullptr;
  T* const y = out + blockIdx.x * cols;
  S top = lowest<S>();
  for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) top = Larger()(top, wide(x[j]));
  top = over_block(top, Larger(), lowest<S>());
  S sum = 0;
  if (top != lowest<S>())
    for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) sum += exp(wide(x[j]) - top);
  sum = sum_over_block(sum);
  const S scale = S{1} / sum;
  for (int64_t j = threadIdx.x; j < cols; j += blockDim.x) {
    const T weight = narrow<T>(top == lowest<S>() ? S{0} : exp(wide(x[j]) - top) * scale);
    y[j] = by ? narrow<T>(wide(weight) * wide(by[j])) : weight;
  }
}

template <class T>
__global__ void softmax_backward_kernel(const T* all_y, const T* all_dy, T* out, int64_t cols) {
  const int64_t first = blockIdx.x * cols;
  Sum<T> dot = 0;
  for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
    dot += wide(all_y[first + j]) * wide(all_dy[first + j]);
  dot = sum_over_block(dot);
  for (int64_t j = threadIdx.x; j < cols; j += blockDim.x)
    out[first + j] = narrow<T>(wide(all_y[first + j]) * (wide(all_dy[first + j]) - dot));
}

}  // namespace

void run(OnCuda on, const SoftmaxArgs& a) {
  if (a.cols == 0) return;
  for_float(a.dtype, [&]<class T>() {
    start(on, {.blocks = a.rows, .threads = threads_for_row(a.cols)}, softmax_kernel<T>,
          static_cast<const T*>(a.x), static_cast<const T*>(a.times), static_cast<T*>(a.y), a.cols);
  });
}

void run(OnCuda on, const SoftmaxBackwardArgs& a) {
  if (a.cols == 0) return;
  for_float(a.dtype, [&]<class T>() {
    start(on, {.blocks = a.rows, .threads = threads_for_row(a.cols)}, softmax_backward_kernel<T>,
          static_cast<const T*>(a.y), static_cast<const T*>(a.dy), static_cast<T*>(a.dx), a.cols);
  });
}

}  // namespace jogak::cuda
