#include "ops/cross_entropy_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

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

// A block a row, read once.
template <class T>
__global__ void cross_entropy_kernel(CrossEntropyArgs args, CudaFault* fault) {
  const CrossEntropyRows& a = args.rows;
  const int64_t row = blockIdx.x;
  if (!counts(args, row, fault)) return no_loss<T>(args, row);
  const T* const x = static_cast<const T*>(a.logits) + row_begin(a, row);
  using P = Pack<T, kPackWide<T>>;
  const int64_t packs = packs_of(x, a.classes);
  Carried<T> mine{.smooth = a.smoothing != 0};
  for (int64_t p = threadIdx.x; p < packs; p += blockDim.x) {
    const P pack = reinterpret_cast<const P*>(x)[p];
    mine.take(pack.at);
  }
  for (int64_t j = packs * kPackWide<T> + threadIdx.x; j < a.classes; j += blockDim.x) {
    const T one[] = {x[j]};
    mine.take(one);
  }
  finish_row(args, row, mine, x[a.targets[row]]);
}

// One block: chunks by thread, then the threads.
template <class T>
__global__ void share_kernel(CrossEntropyShareArgs args) {
  const CrossEntropyRows& a = args.rows;
  int counted = 0;
  for (int64_t r = threadIdx.x; r < a.rows; r += blockDim.x) counted += a.targets[r] != a.ignored;
  counted = over_block(counted, Plus(), 0);
  if (threadIdx.x > 0) return;
  const double weight = !args.mean ? 1.0 : counted ? 1.0 / static_cast<double>(counted) : 0.0;
  *static_cast<Sum<T>*>(args.share) = static_cast<Sum<T>>(weight);
}

template <class T>
__global__ void total_kernel(CrossEntropyTotalArgs a) {
  using S = Sum<T>;
  const S* const losses = static_cast<const S*>(a.losses);
  double sum = 0;
  for (int64_t r = threadIdx.x; r < a.rows.rows; r += blockDim.x) sum += losses[r];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0)
    *static_cast<S*>(a.total) =
        static_cast<S>(sum * static_cast<double>(*static_cast<const S*>(a.share)));
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

template <class T>
__global__ void cross_entropy_backward_kernel(CrossEntropyBackwardArgs b) {
  const CrossEntropyRows& a = b.rows;
  const int64_t row = blockIdx.x, first = row_begin(a, row);
  T* const dx = static_cast<T*>(b.dlogits) + first;
  if (a.targets[row] == a.ignored) return write_zeros(a, dx, 0);
  write_slopes(a, static_cast<const T*>(a.logits) + first, dx,
               RowSlope<T>(b, row, static_cast<const Sum<T>*>(a.lse)[row]));
}

// Both: the row waits in shared memory, so that logits are read once and written once.
template <class T>
__global__ void __launch_bounds__(1024)
    cross_entropy_in_place_kernel(CrossEntropyInPlaceArgs args, CudaFault* fault) {
  const CrossEntropyRows& a = args.forward.rows;
  const int64_t row = blockIdx.x, first = row_begin(a, row);
  const T* const x = static_cast<const T*>(a.logits) + first;
  T* const dx = static_cast<T*>(args.backward.dlogits) + first;
  T* const held = dynamic_shared<T>();
  using P = Pack<T, kPackWide<T>>;
  const int64_t packs = packs_of(x, a.classes);
  Carried<T> mine{.smooth = a.smoothing != 0};
  constexpr int kAtOnce = 4;  // loads on their way
  for (int64_t first_pack = threadIdx.x; first_pack < packs; first_pack += kAtOnce * blockDim.x) {
    P pack[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (const int64_t p = first_pack + i * blockDim.x; p < packs)
        pack[i] = reinterpret_cast<const P*>(x)[p];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (const int64_t p = first_pack + i * blockDim.x; p < packs) {
        reinterpret_cast<P*>(held)[p] = pack[i];
        mine.take(pack[i].at);
      }
  }
  for (int64_t j = packs * kPackWide<T> + threadIdx.x; j < a.classes; j += blockDim.x) {
    const T one[] = {held[j] = x[j]};
    mine.take(one);
  }
  __syncthreads();
  if (!counts(args.forward, row, fault)) {
    no_loss<T>(args.forward, row);
    return write_zeros(a, dx, 0);
  }
  const Sum<T> lse = finish_row(args.forward, row, mine, held[a.targets[row]]);
  write_slopes(a, held, dx, RowSlope<T>(args.backward, row, lse));
}

// The loss itself has the factor 1: nothing to read or write then.
template <class T>
struct TimesFactor {
  T* x;
  const Sum<T>* factor;
  __device__ void operator()(int64_t i) const {
    const Sum<T> by = *factor;
    if (by != Sum<T>{1}) x[i] = narrow<T>(wide(x[i]) * by);
  }
};

}  // namespace

void run(OnCuda on, const CrossEntropyArgs& a) {
  for_float(a.rows.dtype, [&]<class T>() {
    start(on, {.blocks = a.rows.rows, .threads = threads_for_row(a.rows.classes)},
          cross_entropy_kernel<T>, a, device_of(on).fault());
  });
}

void run(OnCuda on, const CrossEntropyShareArgs& a) {
  for_float(a.rows.dtype,
            [&]<class T>() { start(on, {.blocks = 1, .threads = 1024}, share_kernel<T>, a); });
}

void run(OnCuda on, const CrossEntropyTotalArgs& a) {
  for_float(a.rows.dtype,
            [&]<class T>() { start(on, {.blocks = 1, .threads = 1024}, total_kernel<T>, a); });
}

void run(OnCuda on, const CrossEntropyBackwardArgs& a) {
  for_float(a.rows.dtype, [&]<class T>() {
    start(on, {.blocks = a.rows.rows, .threads = threads_for_row(a.rows.classes)},
          cross_entropy_backward_kernel<T>, a);
  });
}

void run(OnCuda on, const CrossEntropyInPlaceArgs& a) {
  const CrossEntropyRows& rows = a.forward.rows;
  for_float(rows.dtype, [&]<class T>() {
    const size_t row = static_cast<size_t>(rows.classes) * sizeof(T);
    if (row > device_of(on).shared_memory() - 2048) {  // some is taken by the sums
      run(on, a.forward);
      return run(on, a.backward);
    }
    start(on, {.blocks = rows.rows, .threads = threads_for_row(rows.classes), .shared = row},
          cross_entropy_in_place_kernel<T>, a, device_of(on).fault());
  });
}

void run(OnCuda on, const MultiplyByArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    each(on, a.count, TimesFactor<T>{static_cast<T*>(a.x), static_cast<const Sum<T>*>(a.factor)});
  });
}

}  // namespace jogak::cuda
