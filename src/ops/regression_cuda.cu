#include "ops/kernels/activation.cuh"
#include "ops/regression_kernel.h"

namespace jogak::cuda {
namespace {

template <class S>
__device__ __forceinline__ S deviation(Deviation kind, S p, S t) {
  const S gap = p - t;
  if (kind == Deviation::squared) return gap * gap;
  if (kind == Deviation::absolute) return fabs(gap);
  return (p > S{0} || p != p ? p : S{0}) - p * t + log1p(exp(-fabs(p)));
}

// A block a piece: its sum, and how many count.
template <class T>
__global__ void regression_kernel(RegressionPairs a, double* partials) {
  const int64_t from = blockIdx.x * kRegressionPiece, left = a.count - from;
  const T *const p = static_cast<const T*>(a.prediction), *const t =
                                                              static_cast<const T*>(a.target);
  double sum = 0;
  int counted = 0;
  for (int64_t j = threadIdx.x; j < (left < kRegressionPiece ? left : kRegressionPiece);
       j += blockDim.x) {
    const int64_t i = from + j;
    if (a.mask && !a.mask[i]) continue;
    ++counted;
    sum += static_cast<double>(deviation(a.kind, wide(p[i]), wide(t[i])));
  }
  sum = sum_over_block(sum);
  counted = over_block(counted, Plus(), 0);
  if (threadIdx.x > 0) return;
  partials[2 * blockIdx.x] = sum;
  partials[2 * blockIdx.x + 1] = counted;
}

// The pieces in their order, by one thread: there are few.
template <class T>
struct Finish {
  const double* partials;
  int64_t pieces;
  Sum<T>*loss, *share;
  __device__ void operator()(int64_t) const {
    double sum = 0, counted = 0;
    for (int64_t p = 0; p < pieces; ++p) {
      sum += partials[2 * p];
      counted += partials[2 * p + 1];
    }
    const double weight = counted > 0 ? 1 / counted : 0;
    *loss = static_cast<Sum<T>>(sum * weight);
    *share = static_cast<Sum<T>>(weight);
  }
};

template <class T>
struct SlopesAt {
  RegressionPairs a;
  const Sum<T>*dloss, *share;
  T *dprediction, *dtarget;
  __device__ void operator()(int64_t i) const {
    using S = Sum<T>;
    const S p = wide(static_cast<const T*>(a.prediction)[i]);
    const S t = wide(static_cast<const T*>(a.target)[i]), gap = p - t;
    S to_p, to_t;
    if (a.kind == Deviation::log_odds) {
      to_p = sigmoid(p).up - t, to_t = -p;
    } else {  // NaN must come out as NaN: only an exact 0 has no slope
      to_p = a.kind == Deviation::squared ? gap + gap : gap == S{0} ? S{0} : gap / fabs(gap);
      to_t = -to_p;
    }
    const bool counts = !a.mask || a.mask[i];
    const S gradient = *dloss * *share;
    if (dprediction) dprediction[i] = narrow<T>(counts ? to_p * gradient : S{0});
    if (dtarget) dtarget[i] = narrow<T>(counts ? to_t * gradient : S{0});
  }
};

}  // namespace

void run(OnCuda on, const RegressionArgs& a) {
  const int64_t pieces = regression_pieces(a.pairs.count);
  for_float(a.pairs.dtype, [&]<class T>() {
    using S = Sum<T>;
    start(on, {.blocks = pieces}, regression_kernel<T>, a.pairs, a.partials);
    each(on, 1, Finish<T>{a.partials, pieces, static_cast<S*>(a.loss), static_cast<S*>(a.share)});
  });
}

void run(OnCuda on, const RegressionBackwardArgs& a) {
  for_float(a.pairs.dtype, [&]<class T>() {
    using S = Sum<T>;
    each(on, a.pairs.count,
         SlopesAt<T>{a.pairs, static_cast<const S*>(a.dloss), static_cast<const S*>(a.share),
                     static_cast<T*>(a.dprediction), static_cast<T*>(a.dtarget)});
  });
}

}  // namespace jogak::cuda
