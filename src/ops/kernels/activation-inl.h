// Activations and their slopes on vectors of float or double, for every kernel that applies one
// to values it holds already. A constant `kind` leaves no branch behind.
#if defined(JOGAK_OPS_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_ACTIVATION_INL_H_
#undef JOGAK_OPS_ACTIVATION_INL_H_
#else
#define JOGAK_OPS_ACTIVATION_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <utility>

#include "ops/activation_kind.h"
#include "ops/kernels/exp-inl.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// sigmoid(z) and 1 - sigmoid(z), both without cancellation; exp sees no positive number.
template <class V>
struct SigmoidPair {
  V up, down;
};
template <class D, class V>
HWY_INLINE SigmoidPair<V> Sigmoid(D d, V z) {
  const V e = ExpWeight(d, hn::Neg(hn::Abs(z)));
  const V large = hn::Div(hn::Set(d, 1), hn::Add(hn::Set(d, 1), e)), small = hn::Mul(e, large);
  const auto negative = hn::Lt(z, hn::Zero(d));
  return {hn::IfThenElse(negative, small, large), hn::IfThenElse(negative, large, small)};
}

// Phi(x), the normal distribution function, and exp(-x^2/2), which slopes need as well.
template <class V>
struct NormalPair {
  V phi, bell;
};
template <class D, class V>
HWY_INLINE NormalPair<V> Normal(D d, V x) {  // by the longer exponential: slopes keep more digits
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, 1);
  const V bell = ExpNan(d, hn::Mul(hn::Set(d, static_cast<T>(-0.5)), hn::Mul(x, x)));
  if constexpr (sizeof(T) == 8) {
    T lanes[kMaxLanes];
    hn::StoreU(x, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = 0.5 * std::erfc(-lanes[i] * M_SQRT1_2);
    return {hn::LoadU(d, lanes), bell};
  } else {
    // The lower tail is exp(-x^2/2) t R(t) with t = 1/(1 + 0.35 |x|) and a minimax polynomial R:
    // within 3.2e-8 of the tail wherever floats have one (|x| < 13.5).
    constexpr float kR[] = {-0.02912586788f, 0.1438722497f,   -0.2555045978f,
                            0.1589293331f,   -0.02293717042f, 0.1054329515f,
                            0.1198524333f,   0.1398590829f,   0.1396215698f};
    const V t = hn::Div(one, hn::MulAdd(hn::Set(d, 0.35f), hn::Abs(x), one));
    V r = hn::Set(d, kR[0]);
    for (int i = 1; i < 9; ++i) r = hn::MulAdd(r, t, hn::Set(d, kR[i]));
    const V tail = hn::Mul(bell, hn::Mul(t, r));
    return {hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail)), bell};
  }
}

inline constexpr double kTanhA = 1.5957691216057308;  // 2 sqrt(2/pi)
inline constexpr double kTanhB = 1.5957691216057308 * 0.044715;

inline constexpr double kQuickGelu = 1.702;  // CLIP's GELU: x sigmoid(1.702 x)

template <class D, class V>
HWY_INLINE V Act(D d, V x, Activation kind) {
  using T = hn::TFromD<D>;
  switch (kind) {
    case Activation::none: break;
    case Activation::relu: return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
    case Activation::gelu: return hn::Mul(x, Normal(d, x).phi);
    case Activation::gelu_tanh: {  // (1 + tanh(u)) / 2 = sigmoid(2u)
      const V slope = hn::MulAdd(hn::Set(d, static_cast<T>(kTanhB)), hn::Mul(x, x),
                                 hn::Set(d, static_cast<T>(kTanhA)));
      return hn::Mul(x, Sigmoid(d, hn::Mul(x, slope)).up);
    }
    case Activation::silu: return hn::Mul(x, Sigmoid(d, x).up);
    case Activation::tanh: return TanhNan(d, x);
    case Activation::exp: return ExpNan(d, x);
    case Activation::quick_gelu:
      return hn::Mul(x, Sigmoid(d, hn::Mul(x, hn::Set(d, static_cast<T>(kQuickGelu)))).up);
  }
  return x;
}

// The derivative at x, the value before the activation (for relu the value after it will do).
template <class D, class V>
HWY_INLINE V ActGrad(D d, V x, Activation kind) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, 1);
  switch (kind) {
    case Activation::none: break;
    case Activation::relu: return hn::IfThenZeroElse(hn::Le(x, hn::Zero(d)), one);
    case Activation::gelu: {
      const NormalPair<V> n = Normal(d, x);
      const V density = hn::Mul(n.bell, hn::Set(d, static_cast<T>(0.3989422804014327)));
      return hn::MulAdd(x, density, n.phi);
    }
    case Activation::gelu_tanh: {
      // Beyond 30 the slope is 0 or 1 exactly; squares of larger numbers could overflow.
      const V limit = hn::Set(d, 30);
      const V v = hn::IfThenElse(hn::Gt(hn::Abs(x), limit), hn::CopySign(limit, x), x);
      const V a = hn::Set(d, static_cast<T>(kTanhA)), square = hn::Mul(v, v);
      const V z = hn::Mul(v, hn::MulAdd(hn::Set(d, static_cast<T>(kTanhB)), square, a));
      const V dz = hn::MulAdd(hn::Set(d, static_cast<T>(3 * kTanhB)), square, a);
      const SigmoidPair<V> s = Sigmoid(d, z);
      return hn::MulAdd(hn::Mul(hn::Mul(v, s.up), s.down), dz, s.up);
    }
    case Activation::silu: {
      const SigmoidPair<V> s = Sigmoid(d, x);
      return hn::Mul(s.up, hn::MulAdd(x, s.down, one));
    }
    case Activation::tanh: {  // 1 - tanh(x)^2 = 4 sigmoid(2x) sigmoid(-2x)
      const SigmoidPair<V> s = Sigmoid(d, hn::Add(x, x));
      return hn::Mul(hn::Set(d, 4), hn::Mul(s.up, s.down));
    }
    case Activation::exp: return ExpNan(d, x);
    case Activation::quick_gelu: {
      const V z = hn::Mul(x, hn::Set(d, static_cast<T>(kQuickGelu)));
      const SigmoidPair<V> s = Sigmoid(d, z);
      return hn::Mul(s.up, hn::MulAdd(z, s.down, one));
    }
  }
  return one;
}

// Calls body with a compile-time constant that converts to the given kind.
template <class Body>
HWY_INLINE void ForActivation(Activation kind, Body&& body) {
  const auto call = [&]<size_t... I>(std::index_sequence<I...>) {
    const auto one = [&]<Activation K>() {
      if (kind == K) body(std::integral_constant<Activation, K>());
    };
    (one.template operator()<static_cast<Activation>(I)>(), ...);
  };
  call(std::make_index_sequence<kActivationCount>());
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
