// exp and tanh of floats in about half the steps of Highway's, within 1.5 units in the last place.
#if defined(JOGAK_OPS_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_EXP_INL_H_
#undef JOGAK_OPS_EXP_INL_H_
#else
#define JOGAK_OPS_EXP_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// exp of a score less its row's maximum or log-sum, or of what is else at most a little above 0.
// Below -87, where floats end, it is 0, and NaN stays NaN. 2^q (1 + r + c2 r^2 .. c6 r^6) with
// |r| <= ln 2 / 2, fitted to the relative error: within 0.9 units in the last place.
template <class D, class V>
HWY_INLINE V ExpWeight(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return ExpNan(d, x);
  } else {
    const hn::RebindToSigned<D> di;
    const V magic = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: what is added to it becomes whole
    const V t = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic), q = hn::Sub(t, magic);
    V r = hn::NegMulAdd(q, hn::Set(d, 0.693145751953125f), x);  // ln 2 in two parts; exact
    r = hn::NegMulAdd(q, hn::Set(d, 1.42860677e-6f), r);
    V y = hn::Set(d, 0.00138144672f);
    for (const float c : {0.00836878084f, 0.0416683927f, 0.166665196f, 0.49999994f, 1.0f, 1.0f})
      y = hn::MulAdd(y, r, hn::Set(d, c));
    const auto bits = hn::Add(hn::ShiftLeft<23>(hn::BitCast(di, t)), hn::Set(di, 0x3F800000));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.0f)), hn::Mul(y, hn::BitCast(d, bits)));
  }
}

// tanh; NaN stays NaN. Near 0 it is x + x^3 P(x^2), P fitted to the relative error (2^-29.8), and
// where no lane is farther away, as with most logits that have a cap, that is all. Elsewhere it is
// (1 - e) / (1 + e) with e = exp(-2 |x|): three roundings, 1.5 units in the last place.
template <class D, class V>
HWY_INLINE V TanhNan(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(d, x));
  } else {
    const V far = hn::Abs(x), square = hn::Mul(x, x);
    const auto is_near = hn::Lt(far, hn::Set(d, 0.55f));
    V p = hn::Set(d, -0.00627423963f);
    for (const float c : {0.0210716799f, -0.0538523085f, 0.133325860f, -0.333333164f})
      p = hn::MulAdd(p, square, hn::Set(d, c));
    const V near = hn::MulAdd(hn::Mul(x, square), p, x);
    if (hn::AllTrue(d, is_near)) return near;
    const V one = hn::Set(d, 1.0f), e = ExpWeight(d, hn::Mul(far, hn::Set(d, -2.0f)));
    const V large = hn::CopySign(hn::Div(hn::Sub(one, e), hn::Add(one, e)), x);
    return hn::IfThenElse(is_near, near, large);
  }
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
