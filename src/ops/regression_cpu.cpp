#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/regression_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>

#include "base/parallel.h"
#include "ops/kernels/activation-inl.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/regression_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

inline constexpr int64_t kRegressionBlock = 256;  // short sums in float, added in double

// The mask of one block as numbers, so that tails need no care; all ones without a mask.
template <class S>
struct CountedBlock {
  S keep[kRegressionBlock];
  explicit CountedBlock(bool masked) {
    if (!masked) std::fill(keep, keep + kRegressionBlock, S{1});
  }
  int64_t set(const bool* mask, int64_t n) {  // how many count
    if (!mask) return n;
    int64_t counted = 0;
    for (int64_t i = 0; i < n; ++i) {
      keep[i] = mask[i] ? S{1} : S{0};
      counted += mask[i];
    }
    return counted;
  }
};

template <Deviation kKind, class D, class V>
HWY_INLINE V DeviationOf(D d, V p, V t) {
  const V gap = hn::Sub(p, t);
  if constexpr (kKind == Deviation::squared) return hn::Mul(gap, gap);
  if constexpr (kKind == Deviation::absolute) return hn::Abs(gap);
  const V smooth = hn::Log1p(d, ExpNan(d, hn::Neg(hn::Abs(p))));
  return hn::Add(hn::NegMulAdd(p, t, hn::Max(p, hn::Zero(d))), smooth);
}

template <class V>
struct Slopes {
  V prediction, target;
};
template <Deviation kKind, class D, class V>
HWY_INLINE Slopes<V> SlopesOf(D d, V p, V t) {
  const V gap = hn::Sub(p, t), zero = hn::Zero(d);
  if constexpr (kKind == Deviation::log_odds) return {hn::Sub(Sigmoid(d, p).up, t), hn::Neg(p)};
  // NaN must come out as NaN: only an exact 0 has no slope.
  const V slope = kKind == Deviation::squared
                      ? hn::Add(gap, gap)
                      : hn::IfThenElse(hn::Eq(gap, zero), zero, hn::Div(gap, hn::Abs(gap)));
  return {slope, hn::Neg(slope)};
}

template <Deviation kKind, class T>
void RegressionPiece(const RegressionPairs& a, int64_t begin, int64_t end, double& sum,
                     double& count) {
  CountedBlock<SumType<T>> block(a.mask != nullptr);
  sum = count = 0;
  for (int64_t i = begin; i < end; i += kRegressionBlock) {
    const int64_t n = std::min(kRegressionBlock, end - i);
    const T *p = static_cast<const T*>(a.prediction) + i, *t = static_cast<const T*>(a.target) + i;
    count += static_cast<double>(block.set(a.mask ? a.mask + i : nullptr, n));
    sum += SweepSum<T>(n, [p, t, keep = block.keep](auto at) {
      const auto counted = hn::Ne(at.load(keep), hn::Zero(at.d));
      return hn::IfThenElseZero(counted, DeviationOf<kKind>(at.d, at.load(p), at.load(t)));
    });
  }
}

template <Deviation kKind, class T>
void RegressionBackwardPiece(const RegressionPairs& a, SumType<T> gradient, T* dprediction,
                             T* dtarget, int64_t begin, int64_t end) {
  CountedBlock<SumType<T>> block(a.mask != nullptr);
  for (int64_t i = begin; i < end; i += kRegressionBlock) {
    const int64_t n = std::min(kRegressionBlock, end - i);
    const T *p = static_cast<const T*>(a.prediction) + i, *t = static_cast<const T*>(a.target) + i;
    T* const dp = dprediction ? dprediction + i : nullptr;
    T* const dt = dtarget ? dtarget + i : nullptr;
    block.set(a.mask ? a.mask + i : nullptr, n);
    Sweep<T>(n, [=, keep = block.keep](auto at) {
      const auto counted = hn::Ne(at.load(keep), hn::Zero(at.d));
      const auto scale = SetAll<T>(gradient);
      const auto slopes = SlopesOf<kKind>(at.d, at.load(p), at.load(t));
      const auto times = [&](auto slope) {  // what does not count may be NaN
        return hn::IfThenElseZero(counted, hn::Mul(slope, scale));
      };
      if (dp) at.store(times(slopes.prediction), dp);
      if (dt) at.store(times(slopes.target), dt);
    });
  }
}

template <class Body>
void ForDeviation(Deviation kind, Body&& body) {
  switch (kind) {
    case Deviation::squared: return body.template operator()<Deviation::squared>();
    case Deviation::absolute: return body.template operator()<Deviation::absolute>();
    case Deviation::log_odds: return body.template operator()<Deviation::log_odds>();
  }
}

void RegressionPartials(const RegressionPairs& a, double* partials) {
  for_float_type(a.dtype, [&]<class T>() {
    ForDeviation(a.kind, [&]<Deviation kKind>() {
      parallel_for(a.count, kRegressionPiece, [&](int64_t begin, int64_t end) {
        const int64_t piece = begin / kRegressionPiece;
        RegressionPiece<kKind, T>(a, begin, end, partials[2 * piece], partials[2 * piece + 1]);
      });
    });
  });
}

void RegressionBackward(const RegressionPairs& a, const void* dloss, const void* share,
                        void* dprediction, void* dtarget) {
  for_float_type(a.dtype, [&]<class T>() {
    using S = SumType<T>;
    const S gradient = *static_cast<const S*>(dloss) * *static_cast<const S*>(share);
    ForDeviation(a.kind, [&]<Deviation kKind>() {
      parallel_for(a.count, kRegressionPiece, [&](int64_t begin, int64_t end) {
        RegressionBackwardPiece<kKind, T>(a, gradient, static_cast<T*>(dprediction),
                                          static_cast<T*>(dtarget), begin, end);
      });
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(RegressionPartials);
HWY_EXPORT(RegressionBackward);

void run(OnCpu, const RegressionArgs& a) {
  HWY_DYNAMIC_DISPATCH(RegressionPartials)(a.pairs, a.partials);
  double sum = 0, counted = 0;
  for (int64_t piece = 0; piece < regression_pieces(a.pairs.count); ++piece) {
    sum += a.partials[2 * piece];
    counted += a.partials[2 * piece + 1];
  }
  const double weight = counted > 0 ? 1 / counted : 0;
  for_float_type(a.pairs.dtype, [&]<class T>() {
    using S = SumType<T>;
    *static_cast<S*>(a.loss) = static_cast<S>(sum * weight);
    *static_cast<S*>(a.share) = static_cast<S>(weight);
  });
}

void run(OnCpu, const RegressionBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(RegressionBackward)(a.pairs, a.dloss, a.share, a.dprediction, a.dtarget);
}

}  // namespace jogak
#endif
