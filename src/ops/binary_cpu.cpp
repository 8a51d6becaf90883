#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/binary_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>

#include "base/parallel.h"
#include "ops/binary_kernel.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

constexpr int64_t kGrain = 1 << 15;

// A run along the last axis, where one of the two may stand still.
template <class T, class F>
void Run(const T* a, int64_t a_step, const T* b, int64_t b_step, T* y, int64_t n, F f) {
  using S = SumType<T>;
  if (a_step == 1 && b_step == 1) return Map(a, b, y, n, f);
  if (a_step == 1) {
    const S other = convert<S>(*b);
    return Map(a, y, n, [=](auto d, auto v) { return f(d, v, hn::Set(d, other)); });
  }
  const S other = convert<S>(*a);
  Map(b, y, n, [=](auto d, auto v) { return f(d, hn::Set(d, other), v); });
}

template <class T, class F>
void RunAll(const Loops& loops, const T* a, const T* b, T* y, F f) {
  const int last = loops.rank - 1;
  const int64_t inner = loops.size[last];
  int64_t count = inner;
  for (int axis = 0; axis < last; ++axis) count *= loops.size[axis];
  parallel_for(count, kGrain, [&, f](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t col = begin % inner, n = std::min(inner - col, end - begin);
      const T* pa = a + col * loops.step[1][last];
      const T* pb = b + col * loops.step[2][last];
      int64_t row = begin / inner;
      for (int axis = last - 1; axis >= 0; --axis) {
        const int64_t at = row % loops.size[axis];
        row /= loops.size[axis];
        pa += at * loops.step[1][axis];
        pb += at * loops.step[2][axis];
      }
      Run(pa, loops.step[1][last], pb, loops.step[2][last], y + begin, n, f);
      begin += n;
    }
  });
}

}  // namespace

void BinaryAll(DType dtype, Binary kind, const Loops& loops, const void* a, const void* b,
               void* y) {
  for_float_type(dtype, [&]<class T>() {
    const auto run = [&](auto f) {
      RunAll(loops, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(y), f);
    };
    switch (kind) {
      case Binary::add: return run([](auto, auto p, auto q) { return hn::Add(p, q); });
      case Binary::sub: return run([](auto, auto p, auto q) { return hn::Sub(p, q); });
      case Binary::mul: return run([](auto, auto p, auto q) { return hn::Mul(p, q); });
    }
  });
}

void ScaleAll(DType dtype, const void* x, double factor, void* y, int64_t n) {
  for_float_type(dtype, [=]<class T>() {
    const T* const in = static_cast<const T*>(x);
    T* const out = static_cast<T*>(y);
    const auto by = static_cast<SumType<T>>(factor);
    parallel_for(n, kGrain, [=](int64_t begin, int64_t end) {
      Map(in + begin, out + begin, end - begin,
          [by](auto d, auto v) { return hn::Mul(v, hn::Set(d, by)); });
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(BinaryAll);
HWY_EXPORT(ScaleAll);

void run(OnCpu, const BinaryArgs& a) {
  HWY_DYNAMIC_DISPATCH(BinaryAll)(a.dtype, a.kind, a.loops, a.a, a.b, a.y);
}

void run(OnCpu, const ScaleArgs& a) {
  HWY_DYNAMIC_DISPATCH(ScaleAll)(a.dtype, a.x, a.factor, a.y, a.count);
}

}  // namespace jogak
#endif
