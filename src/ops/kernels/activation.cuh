// Activations and their slopes on the GPU, one element at a time; the equations are those of
// activation-inl.h.
#pragma once

#include "ops/activation_kind.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {

// sigmoid(z) and 1 - sigmoid(z), both without cancellation; exp sees no positive number.
template <class S>
struct SigmoidPair {
  S up, down;
};
// Quick: good to about six digits, which is plenty for 16-bit values.
__device__ __forceinline__ SigmoidPair<float> quick_sigmoid(float z) {
  const float e = __expf(-fabsf(z)), large = __fdividef(1.0f, 1.0f + e), small = e * large;
  return z < 0.0f ? SigmoidPair<float>{small, large} : SigmoidPair<float>{large, small};
}
template <class S, bool kQuick = false>
__device__ __forceinline__ SigmoidPair<S> sigmoid(S z) {
  if constexpr (kQuick) return quick_sigmoid(z);
  const S e = exp(-fabs(z)), large = S{1} / (S{1} + e), small = e * large;
  return z < S{0} ? SigmoidPair<S>{small, large} : SigmoidPair<S>{large, small};
}

// The share of the normal distribution below x. Quick: a rational polynomial times exp(-x^2 / 2)
// (Abramowitz and Stegun 7.1.26), off by less than 1.5e-7; an instruction each for 1 / x and 2^x.
__device__ __forceinline__ float quick_normcdf(float x) {
  constexpr float kHalf = 0.5f;  // of a tail, within the coefficients
  const float z = fabsf(x) * 0.70710678f;
  float t, e;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(t) : "f"(fmaf(0.3275911f, z, 1.0f)));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(-1.4426950408889634f * z * z));
  const float poly = fmaf(
      t,
      fmaf(t, fmaf(t, fmaf(t, kHalf * 1.061405429f, kHalf * -1.453152027f), kHalf * 1.421413741f),
           kHalf * -0.284496736f),
      kHalf * 0.254829592f);
  const float tail = t * poly * e;
  return x < 0.0f ? tail : 1.0f - tail;
}
template <class S, bool kQuick = false>
__device__ __forceinline__ S normal_share(S x) {
  if constexpr (kQuick) return quick_normcdf(x);
  return normcdf(x);
}

inline constexpr double kTanhA = 1.5957691216057308;  // 2 sqrt(2/pi)
inline constexpr double kTanhB = 1.5957691216057308 * 0.044715;

// By the GPU's own tanh, which is good to 2^-11: a bf16 keeps 8 bits of the slope.
__device__ __forceinline__ float quick_gelu_tanh_slope(float x) {
  constexpr float kA = static_cast<float>(kTanhA / 2), kB = static_cast<float>(kTanhB / 2);
  const float v = fabsf(x) > 30.0f ? copysignf(30.0f, x) : x, square = v * v;
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(v * fmaf(kB, square, kA)));
  const float bend = v * fmaf(3 * kB, square, kA);
  return fmaf(0.5f * bend, fmaf(-t, t, 1.0f), fmaf(0.5f, t, 0.5f));
}

inline constexpr double kQuickGelu = 1.702;  // CLIP's GELU: x sigmoid(1.702 x)

template <Activation kKind, class S, bool kQuick = false>
__device__ __forceinline__ S act(S x) {
  if constexpr (kKind == Activation::relu) return x < S{0} ? S{0} : x;
  if constexpr (kKind == Activation::gelu) return x * normal_share<S, kQuick>(x);
  if constexpr (kKind == Activation::gelu_tanh)  // (1 + tanh(u)) / 2 = sigmoid(2u)
    return x * sigmoid<S, kQuick>(x * (static_cast<S>(kTanhB) * x * x + static_cast<S>(kTanhA))).up;
  if constexpr (kKind == Activation::silu) return x * sigmoid<S, kQuick>(x).up;
  if constexpr (kKind == Activation::tanh) return tanh(x);
  if constexpr (kKind == Activation::quick_gelu)
    return x * sigmoid<S, kQuick>(static_cast<S>(kQuickGelu) * x).up;
  if constexpr (kKind == Activation::exp) return exp(x);
  return x;
}

// The same, of a kind known only here.
template <class S>
__device__ S activated(Activation kind, S x) {
  switch (kind) {
    case Activation::relu: return act<Activation::relu>(x);
    case Activation::gelu: return act<Activation::gelu>(x);
    case Activation::gelu_tanh: return act<Activation::gelu_tanh>(x);
    case Activation::silu: return act<Activation::silu>(x);
    case Activation::tanh: return act<Activation::tanh>(x);
    case Activation::quick_gelu: return act<Activation::quick_gelu>(x);
    case Activation::exp: return act<Activation::exp>(x);
    default: return x;
  }
}

// The derivative at x, the value before the activation (for relu the value after it will do).
template <Activation kKind, class S, bool kQuick = false>
__device__ __forceinline__ S slope(S x) {
  if constexpr (kKind == Activation::relu) return x <= S{0} ? S{0} : S{1};
  if constexpr (kKind == Activation::gelu)
    return x * (exp(static_cast<S>(-0.5) * x * x) * static_cast<S>(0.3989422804014327)) +
           normal_share<S, kQuick>(x);
  if constexpr (kKind == Activation::gelu_tanh && kQuick) return quick_gelu_tanh_slope(x);
  if constexpr (kKind == Activation::gelu_tanh) {
    // Beyond 30 the slope is 0 or 1 exactly; squares of larger numbers could overflow.
    const S limit = 30, v = fabs(x) > limit ? copysign(limit, x) : x, square = v * v;
    const S a = static_cast<S>(kTanhA);
    const S z = v * (static_cast<S>(kTanhB) * square + a);
    const S dz = static_cast<S>(3 * kTanhB) * square + a;
    const SigmoidPair<S> s = sigmoid<S, kQuick>(z);
    return v * s.up * s.down * dz + s.up;
  }
  if constexpr (kKind == Activation::silu) {
    const SigmoidPair<S> s = sigmoid<S, kQuick>(x);
    return s.up * (x * s.down + S{1});
  }
  if constexpr (kKind == Activation::tanh) {  // 1 - tanh(x)^2 = 4 sigmoid(2x) sigmoid(-2x)
    const SigmoidPair<S> s = sigmoid(x + x);
    return S{4} * s.up * s.down;
  }
  if constexpr (kKind == Activation::quick_gelu) {
    const S z = static_cast<S>(kQuickGelu) * x;
    const SigmoidPair<S> s = sigmoid<S, kQuick>(z);
    return s.up * (z * s.down + S{1});
  }
  if constexpr (kKind == Activation::exp) return exp(x);
  return S{1};
}

// Calls body.template operator()<kKind>().
template <class Body>
void for_activation(Activation kind, Body&& body) {
  switch (kind) {
    case Activation::none: return body.template operator()<Activation::none>();
    case Activation::relu: return body.template operator()<Activation::relu>();
    case Activation::gelu: return body.template operator()<Activation::gelu>();
    case Activation::gelu_tanh: return body.template operator()<Activation::gelu_tanh>();
    case Activation::silu: return body.template operator()<Activation::silu>();
    case Activation::tanh: return body.template operator()<Activation::tanh>();
    case Activation::quick_gelu: return body.template operator()<Activation::quick_gelu>();
    case Activation::exp: return body.template operator()<Activation::exp>();
  }
}

}  // namespace jogak::cuda
