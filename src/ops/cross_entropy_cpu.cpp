#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/cross_entropy_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "ops/cross_entropy_kernel.h"
#include "ops/kernels/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

inline constexpr int64_t kEntropyBlock = 2048;  // columns that stay in the first cache

inline int64_t EntropyGrain(int64_t classes) { return 8192 / (classes + 1) + 1; }

// log(sum(exp(x))) in one pass over memory: each block is scaled by the largest value so far.
template <class T>
SumType<T> LogSumExp(const T* x, int64_t n) {
  using S = SumType<T>;
  const Tag<T> d;
  const double lowest = -std::numeric_limits<double>::infinity();
  S top = static_cast<S>(lowest), sum = 0;
  for (int64_t begin = 0; begin < n; begin += kEntropyBlock) {
    const T* block = x + begin;
    const int64_t size = std::min(kEntropyBlock, n - begin);
    const S high =
        std::max(top, MaxLanes(d, Fold(block, size, lowest, lowest,
                                       [](auto, auto a, auto b) { return hn::Max(a, b); })));
    if (high == static_cast<S>(lowest)) continue;  // nothing but -inf so far
    const auto shift = SetAll<T>(high);
    const S part =
        SweepSum<T>(size, [=](auto at) { return ExpNan(at.d, hn::Sub(at.load(block), shift)); });
    sum = sum * std::exp(top - high) + part;
    top = high;
  }
  return top + std::log(sum);
}

template <class T>
SumType<T> EntropyOfRow(const CrossEntropyRows& a, const T* x, int64_t target, SumType<T> lse) {
  using S = SumType<T>;
  const S right = convert<S>(x[target]);
  if (a.smoothing == 0) return lse - right;
  // The mean of -log p over all classes weighs `smoothing`.
  const S mean =
      SweepSum<T>(a.classes, [=](auto at) { return at.load(x); }) / static_cast<S>(a.classes);
  const S smoothing = static_cast<S>(a.smoothing);
  return (S{1} - smoothing) * (lse - right) + smoothing * (lse - mean);
}

template <class T>
void EntropyRows(const CrossEntropyRows& a, SumType<T>* losses, int64_t begin, int64_t end) {
  using S = SumType<T>;
  S* lse = static_cast<S*>(a.lse);
  for (int64_t r = begin; r < end; ++r) {
    const int64_t target = a.targets[r];
    lse[r] = losses[r] = 0;
    if (target == a.ignored) continue;
    ensure<Error>(target >= 0 && target < a.classes, "cross_entropy: target ", target, " of row ",
                  a.first_row + r, ", wanted 0 to ", a.classes - 1, " (", a.classes,
                  " classes) or ", a.ignored, " (ignored)");
    const T* x = static_cast<const T*>(a.logits) + r * a.classes;
    lse[r] = LogSumExp(x, a.classes);
    losses[r] = EntropyOfRow(a, x, target, lse[r]);
  }
}

template <class T>
void EntropyBackwardRow(const CrossEntropyRows& a, const T* x, T* dx, int64_t target,
                        SumType<T> lse, SumType<T> gradient) {
  using S = SumType<T>;
  if (target == a.ignored) {
    std::fill(dx, dx + a.classes, convert<T>(S{0}));
    return;
  }
  const S spread = static_cast<S>(a.smoothing / static_cast<double>(a.classes));
  // Before the sweep: dx may be x.
  const S right = std::exp(convert<S>(x[target]) - lse) - spread - static_cast<S>(1 - a.smoothing);
  const auto shift = SetAll<T>(lse), low = SetAll<T>(spread), scale = SetAll<T>(gradient);
  Sweep<T>(a.classes, [=](auto at) {
    const auto p = ExpNan(at.d, hn::Sub(at.load(x), shift));
    at.store(hn::Mul(hn::Sub(p, low), scale), dx);
  });
  dx[target] = convert<T>(right * gradient);
}

void Entropy(const CrossEntropyRows& a, void* losses) {
  for_float_type(a.dtype, [&]<class T>() {
    parallel_for(a.rows, EntropyGrain(a.classes), [&](int64_t begin, int64_t end) {
      EntropyRows<T>(a, static_cast<SumType<T>*>(losses), begin, end);
    });
  });
}

void EntropyBackward(const CrossEntropyRows& a, const void* dloss, bool each_row, const void* share,
                     void* dlogits) {
  for_float_type(a.dtype, [&]<class T>() {
    using S = SumType<T>;
    const auto *g = static_cast<const S*>(dloss), *lse = static_cast<const S*>(a.lse);
    const S weight = *static_cast<const S*>(share);
    parallel_for(a.rows, EntropyGrain(a.classes), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        EntropyBackwardRow(a, static_cast<const T*>(a.logits) + r * a.classes,
                           static_cast<T*>(dlogits) + r * a.classes, a.targets[r], lse[r],
                           g[each_row ? r : 0] * weight);
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Entropy);
HWY_EXPORT(EntropyBackward);

void run(OnCpu, const CrossEntropyArgs& a) { HWY_DYNAMIC_DISPATCH(Entropy)(a.rows, a.losses); }

void run(OnCpu, const CrossEntropyShareArgs& s) {
  const CrossEntropyRows& a = s.rows;
  int64_t counted = 0;
  for (int64_t r = 0; r < a.rows; ++r) counted += a.targets[r] != a.ignored;
  const double weight = !s.mean ? 1.0 : counted ? 1.0 / static_cast<double>(counted) : 0.0;
  for_float_type(a.dtype, [&]<class T>() {
    *static_cast<SumType<T>*>(s.share) = static_cast<SumType<T>>(weight);
  });
}

void run(OnCpu, const CrossEntropyTotalArgs& a) {
  for_float_type(a.rows.dtype, [&]<class T>() {
    using S = SumType<T>;
    double sum = 0;
    for (int64_t r = 0; r < a.rows.rows; ++r) sum += static_cast<const S*>(a.losses)[r];
    *static_cast<S*>(a.total) = static_cast<S>(sum * *static_cast<const S*>(a.share));
  });
}

void run(OnCpu, const MultiplyByArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    using S = SumType<T>;
    const S by = *static_cast<const S*>(a.factor);
    if (by == 1) return;  // the loss itself: nothing to read or write
    T* const out = static_cast<T*>(a.x);
    parallel_for(a.count, 1 << 15, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = convert<T>(convert<S>(out[i]) * by);
    });
  });
}

void run(OnCpu, const CrossEntropyBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(EntropyBackward)(a.rows, a.dloss, a.each_row, a.share, a.dlogits);
}

void run(OnCpu on, const CrossEntropyInPlaceArgs& a) {
  run(on, a.forward);
  run(on, a.backward);
}

}  // namespace jogak
#endif
