// Loops over a row of any number of arrays: the body is handed a place in the row, which loads
// and stores a vector of elements there, whole or a tail. Sums run in four chains, in an order
// that depends on the length alone.
#if defined(JOGAK_OPS_SWEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_SWEEP_INL_H_
#undef JOGAK_OPS_SWEEP_INL_H_
#else
#define JOGAK_OPS_SWEEP_INL_H_
#endif

#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

template <class D>
struct WholeAt {
  int64_t i;
  D d = {};
  template <class T>
  HWY_INLINE hn::Vec<D> load(const T* row) const {
    return LoadAs(d, row + i);
  }
  template <class T>
  HWY_INLINE void store(hn::Vec<D> v, T* row) const {
    StoreAs(v, d, row + i);
  }
  HWY_INLINE hn::Vec<D> only(hn::Vec<D> v) const { return v; }
};

template <class D>
struct TailAt {
  int64_t i;
  size_t n;
  D d = {};
  template <class T>
  HWY_INLINE hn::Vec<D> load(const T* row) const {
    return LoadTail(d, row + i, n);
  }
  template <class T>
  HWY_INLINE void store(hn::Vec<D> v, T* row) const {
    StoreTail(v, d, row + i, n);
  }
  // Zero in the lanes past the end, so that a sum may take v.
  HWY_INLINE hn::Vec<D> only(hn::Vec<D> v) const { return hn::IfThenElseZero(hn::FirstN(d, n), v); }
};

// f(at) for every place of a row of n elements.
template <class T, class F>
HWY_INLINE void Sweep(int64_t n, F f) {
  using D = Tag<T>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(WholeAt<D>{i});
  if (i < n) f(TailAt<D>{i, static_cast<size_t>(n - i)});
}

// Sum of f(at) over a row; f need not clear the lanes past the end.
template <class T, class F>
HWY_INLINE SumType<T> SweepSum(int64_t n, F f) {
  using D = Tag<T>;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a = hn::Zero(d), b = a, c = a, e = a;
  if (n == lanes) return SumLanes(d, hn::Add(a, f(WholeAt<D>{0})));  // what follows, of one vector
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = hn::Add(a, f(WholeAt<D>{i}));
    b = hn::Add(b, f(WholeAt<D>{i + lanes}));
    c = hn::Add(c, f(WholeAt<D>{i + 2 * lanes}));
    e = hn::Add(e, f(WholeAt<D>{i + 3 * lanes}));
  }
  for (; i + lanes <= n; i += lanes) a = hn::Add(a, f(WholeAt<D>{i}));
  if (i < n) {
    const TailAt<D> tail{i, static_cast<size_t>(n - i)};
    b = hn::Add(b, tail.only(f(tail)));
  }
  return SumLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e)));
}

template <class T>
HWY_INLINE hn::Vec<Tag<T>> SetAll(SumType<T> value) {
  return hn::Set(Tag<T>(), value);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
