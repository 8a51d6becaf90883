#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/swiglu_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/activation-inl.h"
#include "ops/sweep-inl.h"
#include "ops/swiglu_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

constexpr int64_t kSwigluGrain = 1 << 13;

template <class T>
void SwigluAll(const T* gate, const T* up, T* y, int64_t n) {
  parallel_for(n, kSwigluGrain, [=](int64_t begin, int64_t end) {
    Map(gate + begin, up + begin, y + begin, end - begin,
        [](auto d, auto g, auto u) { return hn::Mul(Act(d, g, Activation::silu), u); });
  });
}

template <class T>
void SwigluBackwardAll(const cpu::SwigluGrad& a, int64_t n) {
  const T *const gate = static_cast<const T*>(a.gate), *const up = static_cast<const T*>(a.up);
  const T* const dy = static_cast<const T*>(a.dy);
  T *const d_gate = static_cast<T*>(a.d_gate), *const d_up = static_cast<T*>(a.d_up);
  parallel_for(n, kSwigluGrain, [=](int64_t begin, int64_t end) {
    Sweep<T>(end - begin, [=](auto at) {
      const auto x = at.load(gate + begin), g = at.load(dy + begin);
      const auto s = Sigmoid(at.d, x);
      const auto silu = hn::Mul(x, s.up);
      const auto slope = hn::MulAdd(silu, s.down, s.up);  // s + x s (1 - s)
      at.store(hn::Mul(g, hn::Mul(at.load(up + begin), slope)), d_gate + begin);
      at.store(hn::Mul(g, silu), d_up + begin);
    });
  });
}

}  // namespace

void Swiglu(DType dtype, const void* gate, const void* up, void* y, int64_t n) {
  for_float_type(dtype, [=]<class T>() {
    SwigluAll(static_cast<const T*>(gate), static_cast<const T*>(up), static_cast<T*>(y), n);
  });
}

void SwigluBackward(DType dtype, const cpu::SwigluGrad& g, int64_t n) {
  for_float_type(dtype, [&]<class T>() { SwigluBackwardAll<T>(g, n); });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(Swiglu);
HWY_EXPORT(SwigluBackward);

void swiglu(DType dtype, const void* gate, const void* up, void* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Swiglu)(dtype, gate, up, y, n);
}

void swiglu_backward(DType dtype, const SwigluGrad& g, int64_t n) {
  HWY_DYNAMIC_DISPATCH(SwigluBackward)(dtype, g, n);
}

}  // namespace jogak::cpu
#endif
