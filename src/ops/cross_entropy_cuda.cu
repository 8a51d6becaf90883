#include "ops/cross_entropy_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

// A block a row.
template <class T>
__global__ void cross_entropy_kernel(CrossEntropyArgs args, CudaFault* fault) {
  using S = Sum<T>;
  const CrossEntropyRows& a = args.rows;
  const int64_t row = blockIdx.x, target = a.targets[row];
  S *const lse = static_cast<S*>(a.lse) + row, *const loss = static_cast<S*>(args.losses) + row;
  const bool known = target >= 0 && target < a.classes;
  if (target == a.ignored || !known) {
    if (threadIdx.x > 0) return;
    *lse = *loss = 0;
    if (target != a.ignored && atomicCAS(&fault->kind, 0, int{CudaFault::target}) == 0) {
      fault->value = target, fault->place = a.first_row + row;
      fault->limit = a.classes, fault->ignored = a.ignored;
    }
    return;
  }
  const T* const x = static_cast<const T*>(a.logits) + row * a.classes;
  S top = lowest<S>(), total = 0;
  for (int64_t j = threadIdx.x; j < a.classes; j += blockDim.x) {
    const S v = wide(x[j]);
    top = Larger()(top, v);
    total += v;
  }
  top = over_block(top, Larger(), lowest<S>());
  S sum = 0;
  for (int64_t j = threadIdx.x; j < a.classes; j += blockDim.x) sum += exp(wide(x[j]) - top);
  sum = sum_over_block(sum);
  if (a.smoothing != 0) total = sum_over_block(total);
  if (threadIdx.x > 0) return;
  const S log_sum = top == lowest<S>() ? top : top + log(sum), right = wide(x[target]);
  *lse = log_sum;
  const S smoothing = static_cast<S>(a.smoothing), mean = total / static_cast<S>(a.classes);
  *loss = a.smoothing == 0 ? log_sum - right
                           : (S{1} - smoothing) * (log_sum - right) + smoothing * (log_sum - mean);
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

template <class T>
__global__ void cross_entropy_backward_kernel(CrossEntropyBackwardArgs b) {
  using S = Sum<T>;
  const CrossEntropyRows& a = b.rows;
  const int64_t row = blockIdx.x, target = a.targets[row];
  const T* const x = static_cast<const T*>(a.logits) + row * a.classes;
  T* const dx = static_cast<T*>(b.dlogits) + row * a.classes;
  const bool counts = target != a.ignored;
  const S lse = static_cast<const S*>(a.lse)[row];
  const S gradient =
      static_cast<const S*>(b.dloss)[b.each_row ? row : 0] * *static_cast<const S*>(b.share);
  const S spread = static_cast<S>(a.smoothing / static_cast<double>(a.classes));
  const S right = static_cast<S>(1 - a.smoothing);
  for (int64_t j = threadIdx.x; j < a.classes; j += blockDim.x) {
    S v = exp(wide(x[j]) - lse) - spread;
    if (j == target) v -= right;
    dx[j] = narrow<T>(counts ? v * gradient : S{0});
  }
}

template <class T>
struct TimesFactor {
  const T* factor;
  template <class S>
  __device__ void operator()(int64_t, const S (&x)[1], S (&y)[1]) const {
    y[0] = x[0] * wide(*factor);
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

void run(OnCuda on, const MultiplyByArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    T* const x = static_cast<T*>(a.x);
    map(on, Arrays<T, 1, 1>{{x}, {x}}, a.count, TimesFactor<T>{static_cast<const T*>(a.factor)});
  });
}

}  // namespace jogak::cuda
