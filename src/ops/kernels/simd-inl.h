// What kernels share: loads and stores that compute in float (or double) whatever the element
// type, tails that never touch memory past the end, and loops over them. Included once per
// instruction set by Highway's foreach_target.
#if defined(JOGAK_OPS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_SIMD_INL_H_
#undef JOGAK_OPS_SIMD_INL_H_
#else
#define JOGAK_OPS_SIMD_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ops/kernels/isa.h"
#include "tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of the type sums are made in: double for double, float for everything else.
template <class T>
using Tag = hn::ScalableTag<SumType<T>>;

template <class D>
HWY_INLINE hn::Vec<D> LoadAs(D d, const hn::TFromD<D>* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadAs(D d, const BFloat16* p) {
  const hn::Rebind<uint16_t, D> d16;
  const hn::Rebind<uint32_t, D> d32;
  const auto bits = hn::LoadU(d16, reinterpret_cast<const uint16_t*>(p));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, bits)));
}
template <class D>
HWY_INLINE hn::Vec<D> LoadAs(D d, const Float16* p) {
#if HWY_TARGET == HWY_SCALAR  // Highway's own conversion of single lanes loses infinity and NaN
  return hn::Set(d, static_cast<float>(*p));
#else
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(p)));
#endif
}

template <class D>
HWY_INLINE void StoreAs(hn::Vec<D> v, D d, hn::TFromD<D>* p) {
  hn::StoreU(v, d, p);
}
template <class D>
HWY_INLINE void StoreAs(hn::Vec<D> v, D, BFloat16* p) {  // to nearest even; NaN stays NaN
  const hn::Rebind<uint16_t, D> d16;
  const hn::Rebind<int32_t, D> di;
  const hn::Rebind<uint32_t, D> du;
  const auto raw = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(raw), hn::Set(du, 1u));
  const auto rounded = hn::ShiftRight<16>(hn::Add(raw, hn::Add(odd, hn::Set(du, 0x7FFFu))));
  const auto nan = hn::Or(hn::ShiftRight<16>(raw), hn::Set(du, 0x40u));
  const auto bits = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), nan, rounded);
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(di, bits)), d16, reinterpret_cast<uint16_t*>(p));
}
template <class D>
HWY_INLINE void StoreAs(hn::Vec<D> v, D, Float16* p) {
#if HWY_TARGET == HWY_SCALAR
  *p = Float16(hn::GetLane(v));
#else
  const hn::Rebind<hwy::float16_t, D> d16;
  hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(p));
#endif
}

inline constexpr size_t kMaxLanes = 64;  // floats of the widest vector we compile for, and more

// Whether elements of T are loaded, or stored, under a mask: a buffer that is written in pieces and
// read as a whole waits for memory.
template <class T, class D>
inline constexpr bool kMaskedLoads = std::is_same_v<T, hn::TFromD<D>>&& HWY_TARGET <= HWY_AVX2;
template <class T, class D>
inline constexpr bool kMaskedStores = std::is_same_v<T, hn::TFromD<D>>&& HWY_TARGET <= HWY_AVX3;

// The first n < Lanes(d) elements; the other lanes hold `rest`.
template <class D, class T>
HWY_INLINE hn::Vec<D> LoadTail(D d, const T* p, size_t n, double rest = 0) {
  const T other = convert<T>(rest);
  if constexpr (kMaskedLoads<T, D>) {
    const auto first = hn::FirstN(d, n);
    return hn::IfThenElse(first, hn::MaskedLoad(first, d, p), hn::Set(d, other));
  }
  T buffer[kMaxLanes];
  for (size_t i = n; i < hn::Lanes(d); ++i) buffer[i] = other;
  std::memcpy(buffer, p, n * sizeof(T));
  return LoadAs(d, buffer);
}
template <class D, class T>
HWY_INLINE void StoreTail(hn::Vec<D> v, D d, T* p, size_t n) {
  if constexpr (kMaskedStores<T, D>) return hn::BlendedStore(v, hn::FirstN(d, n), d, p);
  T buffer[kMaxLanes];
  StoreAs(v, d, buffer);
  std::memcpy(p, buffer, n * sizeof(T));
}

// A vector as elements of T keep it.
template <class T, class D>
HWY_INLINE hn::Vec<D> Kept(D d, hn::Vec<D> v) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>) return v;
  T kept[kMaxLanes];
  StoreAs(v, d, kept);
  return LoadAs(d, kept);
}

// y[i] = f(d, x[i]), and the same over two and three inputs.
template <class T, class F>
HWY_INLINE void Map(const T* x, T* y, int64_t n, F f) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) StoreAs(f(d, LoadAs(d, x + i)), d, y + i);
  if (i < n) StoreTail(f(d, LoadTail(d, x + i, n - i)), d, y + i, n - i);
}
template <class T, class F>
HWY_INLINE void Map(const T* a, const T* b, T* y, int64_t n, F f) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) StoreAs(f(d, LoadAs(d, a + i), LoadAs(d, b + i)), d, y + i);
  if (i < n) StoreTail(f(d, LoadTail(d, a + i, n - i), LoadTail(d, b + i, n - i)), d, y + i, n - i);
}
template <class T, class F>
HWY_INLINE void Map(const T* a, const T* b, const T* c, T* y, int64_t n, F f) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    StoreAs(f(d, LoadAs(d, a + i), LoadAs(d, b + i), LoadAs(d, c + i)), d, y + i);
  if (i < n)
    StoreTail(f(d, LoadTail(d, a + i, n - i), LoadTail(d, b + i, n - i), LoadTail(d, c + i, n - i)),
              d, y + i, n - i);
}

// Folds f(d, acc, x[i]) lane by lane from `start`; the order depends on n alone. The tail is
// filled up with `rest`, which must not change the result.
template <class T, class F>
HWY_INLINE hn::Vec<Tag<T>> Fold(const T* x, int64_t n, double start, double rest, F f) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Set(d, static_cast<SumType<T>>(start));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = f(d, sum, LoadAs(d, x + i));
  if (i < n) sum = f(d, sum, LoadTail(d, x + i, n - i, rest));
  return sum;
}
template <class T, class F>  // tails of both inputs are filled with zeros
HWY_INLINE hn::Vec<Tag<T>> Fold(const T* a, const T* b, int64_t n, F f) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = f(d, sum, LoadAs(d, a + i), LoadAs(d, b + i));
  if (i < n) sum = f(d, sum, LoadTail(d, a + i, n - i), LoadTail(d, b + i, n - i));
  return sum;
}

// Highway's Exp makes 0 of NaN; a NaN must stay one, or a broken run looks healthy.
template <class D, class V>
HWY_INLINE V ExpNan(D d, V x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));
}

template <class D, class V>
HWY_INLINE hn::TFromD<D> SumLanes(D d, V v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}
template <class D, class V>
HWY_INLINE hn::TFromD<D> MaxLanes(D d, V v) {
  return hn::GetLane(hn::MaxOfLanes(d, v));
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
