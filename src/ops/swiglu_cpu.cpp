#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/swiglu_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/kernels/activation-inl.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/swiglu_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

constexpr int64_t kSwigluGrain = 1 << 13;

template <class T>
void Span(const T* gate, const T* up, T* y, int64_t n) {
  Map(gate, up, y, n,
      [](auto d, auto g, auto u) { return hn::Mul(Act(d, g, Activation::silu), u); });
}

template <class T>
void BackwardSpan(const T* gate, const T* up, const T* dy, T* d_gate, T* d_up, int64_t n) {
  Sweep<T>(n, [=](auto at) {
    const auto x = at.load(gate), g = at.load(dy);
    const auto s = Sigmoid(at.d, x);
    const auto silu = hn::Mul(x, s.up);
    const auto slope = hn::MulAdd(silu, s.down, s.up);  // s + x s (1 - s)
    at.store(hn::Mul(g, hn::Mul(at.load(up), slope)), d_gate);
    at.store(hn::Mul(g, silu), d_up);
  });
}

template <class T>
void SwigluAll(const T* gate, const T* up, T* y, int64_t n) {
  parallel_for(n, kSwigluGrain, [=](int64_t begin, int64_t end) {
    Span(gate + begin, up + begin, y + begin, end - begin);
  });
}

template <class T>
void SwigluBackwardAll(const SwigluBackwardArgs& a) {
  const T *const gate = static_cast<const T*>(a.gate), *const up = static_cast<const T*>(a.up);
  const T* const dy = static_cast<const T*>(a.dy);
  T *const d_gate = static_cast<T*>(a.d_gate), *const d_up = static_cast<T*>(a.d_up);
  parallel_for(a.count, kSwigluGrain, [=](int64_t i, int64_t end) {
    BackwardSpan(gate + i, up + i, dy + i, d_gate + i, d_up + i, end - i);
  });
}

// f(row) for rows of n gates and n values side by side.
template <class F>
void EachRow(int64_t rows, int64_t n, F f) {
  parallel_for(rows, kSwigluGrain / (n + 1) + 1, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) f(r);
  });
}

}  // namespace

void Swiglu(const SwigluArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    SwigluAll(static_cast<const T*>(a.gate), static_cast<const T*>(a.up), static_cast<T*>(a.y),
              a.count);
  });
}

void SwigluBackward(const SwigluBackwardArgs& a) {
  for_float_type(a.dtype, [&]<class T>() { SwigluBackwardAll<T>(a); });
}

void SwigluPacked(const SwigluPackedArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    EachRow(a.rows, a.cols,
            [x = static_cast<const T*>(a.x), y = static_cast<T*>(a.y), n = a.cols](int64_t r) {
              Span(x + r * 2 * n, x + r * 2 * n + n, y + r * n, n);
            });
  });
}

void SwigluPackedBackward(const SwigluPackedBackwardArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    EachRow(a.rows, a.cols,
            [x = static_cast<const T*>(a.x), dy = static_cast<const T*>(a.dy),
             dx = static_cast<T*>(a.dx), n = a.cols](int64_t r) {
              const T* const gate = x + r * 2 * n;
              T* const d_gate = dx + r * 2 * n;
              BackwardSpan(gate, gate + n, dy + r * n, d_gate, d_gate + n, n);
            });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Swiglu);
HWY_EXPORT(SwigluBackward);
HWY_EXPORT(SwigluPacked);
HWY_EXPORT(SwigluPackedBackward);

void run(OnCpu, const SwigluArgs& a) { HWY_DYNAMIC_DISPATCH(Swiglu)(a); }
void run(OnCpu, const SwigluBackwardArgs& a) { HWY_DYNAMIC_DISPATCH(SwigluBackward)(a); }
void run(OnCpu, const SwigluPackedArgs& a) { HWY_DYNAMIC_DISPATCH(SwigluPacked)(a); }

void run(OnCpu, const SwigluPackedBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(SwigluPackedBackward)(a);
}

}  // namespace jogak
#endif
