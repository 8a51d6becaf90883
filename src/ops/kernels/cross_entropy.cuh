// What kernels of the loss share: a row's largest logit and sum of powers, carried along; its loss;
// its gradient.
#pragma once

#include "ops/cross_entropy_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {

__device__ __forceinline__ int64_t row_begin(const CrossEntropyRows& a, int64_t row) {
  return row * (a.classes + a.padding);
}

// exp(x - less). Of 16-bit logits the fast one is good enough by far: a step to multiply and take
// off, and one to raise.
template <class T>
__device__ __forceinline__ Sum<T> power(Sum<T> x, Sum<T> less) {
  if constexpr (sizeof(T) == 2) {
    constexpr float kLog2E = 1.4426950408889634f;
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(fmaf(x, kLog2E, -less * kLog2E)));
    return y;
  } else {
    return exp(x - less);
  }
}

// The largest so far, and the sum of powers below it.
template <class T>
struct Carried {
  bool smooth;  // the total is wanted
  Sum<T> top = lowest<Sum<T>>(), sum = 0, total = 0;

  __device__ __forceinline__ void raise(Sum<T> to) {
    if (to == top || to == lowest<Sum<T>>()) return;
    sum *= power<T>(top, to);
    top = to;
  }
  template <int kCount>
  __device__ __forceinline__ void take(const T (&x)[kCount]) {
    Sum<T> here = top;
#pragma unroll
    for (int j = 0; j < kCount; ++j) here = max(here, wide(x[j]));  // NaN comes into the sum below
    raise(here);
    const Sum<T> less = here == lowest<Sum<T>>() ? 0 : here;
#pragma unroll
    for (int j = 0; j < kCount; ++j) sum += power<T>(wide(x[j]), less);
    if (!smooth) return;
#pragma unroll
    for (int j = 0; j < kCount; ++j) total += wide(x[j]);
  }
};

template <class T>
constexpr int kPackWide = 16 / sizeof(T);

// Whole packs of a row that begins where 16 bytes do; else none.
template <class T>
__device__ __forceinline__ int64_t packs_of(const T* x, int64_t count) {
  return reinterpret_cast<uintptr_t>(x) % 16 == 0 ? count / kPackWide<T> : 0;
}

// True: the row counts. Otherwise its loss is 0, and a target that is none is reported.
__device__ __forceinline__ bool counts(const CrossEntropyArgs& args, int64_t row,
                                       CudaFault* fault) {
  const CrossEntropyRows& a = args.rows;
  const int64_t target = a.targets[row];
  if (target != a.ignored && target >= 0 && target < a.classes) return true;
  if (threadIdx.x == 0 && target != a.ignored &&
      atomicCAS(&fault->kind, 0, int{CudaFault::target}) == 0) {
    fault->value = target, fault->place = a.first_row + row;
    fault->limit = a.classes, fault->ignored = a.ignored;
  }
  return false;
}

// The row's log of the sum of powers, for every thread; `right` is the target's logit.
template <class T>
__device__ Sum<T> finish_row(const CrossEntropyArgs& args, int64_t row, Carried<T>& mine, T right) {
  using S = Sum<T>;
  const CrossEntropyRows& a = args.rows;
  const S top = over_block(mine.top, Larger(), lowest<S>());
  mine.raise(top);
  const S sum = sum_over_block(mine.sum);
  const S total = a.smoothing != 0 ? sum_over_block(mine.total) : S{0};
  const S log_sum = top == lowest<S>() && sum == 0 ? top : top + log(sum);
  if (threadIdx.x > 0) return log_sum;
  static_cast<S*>(a.lse)[row] = log_sum;
  const S smoothing = static_cast<S>(a.smoothing), mean = total / static_cast<S>(a.classes);
  const S loss = log_sum - wide(right);
  static_cast<S*>(args.losses)[row] =
      a.smoothing == 0 ? loss : (S{1} - smoothing) * loss + smoothing * (log_sum - mean);
  return log_sum;
}

template <class T>
__device__ __forceinline__ void no_loss(const CrossEntropyArgs& args, int64_t row) {
  if (threadIdx.x > 0) return;
  static_cast<Sum<T>*>(args.rows.lse)[row] = 0;
  static_cast<Sum<T>*>(args.losses)[row] = 0;
}

// The gradient of a row's logits.
template <class T>
struct RowSlope {
  using S = Sum<T>;
  S lse, gradient, spread, right;
  int64_t target;

  __device__ RowSlope(const CrossEntropyBackwardArgs& b, int64_t row, S log_sum)
      : lse(log_sum),
        gradient(static_cast<const S*>(b.dloss)[b.each_row ? row : 0] *
                 *static_cast<const S*>(b.share)),
        spread(static_cast<S>(b.rows.smoothing / static_cast<double>(b.rows.classes))),
        right(static_cast<S>(1 - b.rows.smoothing)),
        target(b.rows.targets[row]) {}

  __device__ __forceinline__ T wrong(T logit) const {  // of any class but the target
    return narrow<T>((power<T>(wide(logit), lse) - spread) * gradient);
  }
  __device__ __forceinline__ T operator()(int64_t j, T logit) const {
    if (j != target) return wrong(logit);
    return narrow<T>((power<T>(wide(logit), lse) - spread - right) * gradient);
  }
};

template <class T>
__device__ void write_zeros(const CrossEntropyRows& a, T* dx, int64_t from) {
  for (int64_t j = from + threadIdx.x; j < a.classes + a.padding; j += blockDim.x)
    dx[j] = narrow<T>(Sum<T>{0});
}

template <class T>
__device__ void write_slopes(const CrossEntropyRows& a, const T* x, T* dx,
                             const RowSlope<T>& slope) {
  using P = Pack<T, kPackWide<T>>;
  const int64_t packs = packs_of(x, a.classes) > 0 ? packs_of(dx, a.classes) : 0;
  for (int64_t p = threadIdx.x; p < packs; p += blockDim.x) {
    P pack = reinterpret_cast<const P*>(x)[p];
    if (p == slope.target / kPackWide<T>) {
#pragma unroll
      for (int j = 0; j < kPackWide<T>; ++j) pack.at[j] = slope(p * kPackWide<T> + j, pack.at[j]);
    } else {
#pragma unroll
      for (int j = 0; j < kPackWide<T>; ++j) pack.at[j] = slope.wrong(pack.at[j]);
    }
    reinterpret_cast<P*>(dx)[p] = pack;
  }
  for (int64_t j = packs * kPackWide<T> + threadIdx.x; j < a.classes; j += blockDim.x)
    dx[j] = slope(j, x[j]);
  write_zeros(a, dx, a.classes);
}

}  // namespace jogak::cuda
