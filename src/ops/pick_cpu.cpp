#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pick_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "ops/kernels/simd-inl.h"
#include "ops/pick_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// First i in [begin, n) with x[i] > limit or x[i] NaN; n when there is none. Most vectors of a
// long row hold nothing of interest, which is what makes this fast.
template <class T>
HWY_INLINE int64_t FindAbove(const T* x, int64_t begin, int64_t n, SumType<T> limit) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto bound = hn::Set(d, limit);
  int64_t i = begin;
  for (; i + lanes <= n; i += lanes) {
    // Not "at most": NaN is above everything.
    const auto at = hn::FindFirstTrue(d, hn::Not(hn::Le(LoadAs(d, x + i), bound)));
    if (at >= 0) return i + at;
  }
  for (; i < n; ++i)
    if (!(convert<SumType<T>>(x[i]) <= limit)) return i;
  return n;
}

template <class T>
int64_t ArgmaxRow(const T* x, int64_t n) {
  using S = SumType<T>;
  int64_t best = 0;
  while (!std::isnan(convert<S>(x[best]))) {
    const int64_t next = FindAbove(x, best + 1, n, convert<S>(x[best]));
    if (next == n) break;
    best = next;
  }
  return best;
}

// a stands before b in the result.
template <class T>
struct PickBefore {
  const T* x;
  bool operator()(int64_t a, int64_t b) const {
    const auto p = convert<SumType<T>>(x[a]), q = convert<SumType<T>>(x[b]);
    const bool p_nan = std::isnan(p), q_nan = std::isnan(q);
    if (p_nan != q_nan) return p_nan;
    return p_nan || p == q ? a < b : p > q;
  }
};

// A heap of the k best ids with the worst on top; a later id replaces it only when larger.
template <class T>
void TopKRow(const T* x, T* values, int64_t* ids, int64_t n, int64_t k) {
  using S = SumType<T>;
  const PickBefore<T> before{x};
  for (int64_t i = 0; i < k; ++i) ids[i] = i;
  std::make_heap(ids, ids + k, before);
  for (int64_t i = k; i < n; ++i) {
    const S worst = convert<S>(x[ids[0]]);
    if (std::isnan(worst)) break;  // k times NaN: nothing stands before them
    i = FindAbove(x, i, n, worst);
    if (i == n) break;
    std::pop_heap(ids, ids + k, before);
    ids[k - 1] = i;
    std::push_heap(ids, ids + k, before);
  }
  std::sort_heap(ids, ids + k, before);
  for (int64_t i = 0; i < k; ++i) values[i] = x[ids[i]];
}

void Argmax(const ArgmaxArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    parallel_for(a.rows, 16384 / (a.cols + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const T* const row = static_cast<const T*>(a.x) + r * a.cols;
        const int64_t best = ArgmaxRow(row, a.cols);
        const bool none = a.finite && !std::isfinite(convert<SumType<T>>(row[best]));
        a.ids[r] = none ? -1 : best;
      }
    });
  });
}

void TopK(DType dtype, const void* x, void* values, int64_t* ids, int64_t rows, int64_t cols,
          int64_t k) {
  if (k == 0) return;
  for_float_type(dtype, [=]<class T>() {
    parallel_for(rows, 4096 / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        TopKRow(static_cast<const T*>(x) + r * cols, static_cast<T*>(values) + r * k, ids + r * k,
                cols, k);
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Argmax);
HWY_EXPORT(TopK);

void run(OnCpu, const ArgmaxArgs& a) { HWY_DYNAMIC_DISPATCH(Argmax)(a); }

void run(OnCpu, const TopKArgs& a) {
  HWY_DYNAMIC_DISPATCH(TopK)(a.dtype, a.x, a.values, a.ids, a.rows, a.cols, a.k);
}

void run(OnCpu, const TopKBackwardArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    parallel_for(a.rows, 16384 / (a.cols + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        T* row = static_cast<T*>(a.dx) + r * a.cols;
        std::fill(row, row + a.cols, T{});
        for (int64_t i = 0; i < a.k; ++i)
          row[a.ids[r * a.k + i]] = static_cast<const T*>(a.dvalues)[r * a.k + i];
      }
    });
  });
}

}  // namespace jogak
#endif
