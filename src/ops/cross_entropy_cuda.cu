#include "ops/kernels/cross_entropy.cuh"

namespace jogak::cuda {
namespace {

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

template <class T>
__global__ void cross_entropy_backward_kernel(CrossEntropyBackwardArgs b) {
  const CrossEntropyRows& a = b.rows;
  const int64_t row = blockIdx.x, first = row_begin(a, row);
  T* const dx = static_cast<T*>(b.dlogits) + first;
  if (a.targets[row] == a.ignored) return write_zeros(a, dx, 0);
  write_slopes(a, static_cast<const T*>(a.logits) + first, dx,
               RowSlope<T>(b, row, static_cast<const Sum<T>*>(a.lse)[row]));
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

void run(OnCuda on, const MultiplyByArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    each(on, a.count, TimesFactor<T>{static_cast<T*>(a.x), static_cast<const Sum<T>*>(a.factor)});
  });
}

}  // namespace jogak::cuda
