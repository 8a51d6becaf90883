#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/rope_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/rope_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

template <class T, bool kBack>
void RotateHead(const T* x, T* y, const SumType<T>* cosines, int64_t half) {
  const SumType<T>* const sines = cosines + half;
  Sweep<T>(half, [=](auto at) {
    const auto a = at.load(x), b = at.load(x + half), c = at.load(cosines), s = at.load(sines);
    const auto as = kBack ? hn::NegMulAdd(a, s, hn::Mul(b, c)) : hn::MulAdd(a, s, hn::Mul(b, c));
    const auto bs = kBack ? hn::MulAdd(b, s, hn::Mul(a, c)) : hn::NegMulAdd(b, s, hn::Mul(a, c));
    at.store(bs, y);
    at.store(as, y + half);
  });
}

template <class T, bool kBack>
void RotateRows(const RopeArgs& g, int64_t begin, int64_t end) {
  const int64_t rotated = g.heads * g.head;
  for (int64_t r = begin; r < end; ++r) {
    const T* const x = static_cast<const T*>(g.x) + r * g.cols;
    T* const y = static_cast<T*>(g.y) + r * g.cols;
    const auto* const table = static_cast<const SumType<T>*>(g.table) + r % g.table_rows * g.width;
    for (int64_t h = 0; h < g.heads; ++h)
      RotateHead<T, kBack>(x + h * g.head, y + h * g.head, table, g.width / 2);
    for (int64_t h = 0; x != y && g.width < g.head && h < g.heads; ++h)
      std::copy(x + h * g.head + g.width, x + (h + 1) * g.head, y + h * g.head + g.width);
    if (x != y) std::copy(x + rotated, x + g.cols, y + rotated);
  }
}

}  // namespace

void RopeAll(const RopeArgs& g) {
  const int64_t grain = std::max<int64_t>(1, 8192 / (g.cols + 1));
  for_float_type(g.dtype, [&]<class T>() {
    parallel_for(g.rows, grain, [&](int64_t begin, int64_t end) {
      g.back ? RotateRows<T, true>(g, begin, end) : RotateRows<T, false>(g, begin, end);
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(RopeAll);

void run(OnCpu, const RopeArgs& a) { HWY_DYNAMIC_DISPATCH(RopeAll)(a); }

// Angles grow with the position: the vector functions are not made for ones this large.
void run(OnCpu, const RopeTableArgs& a) {
  parallel_for(a.rows, 64, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* const f = a.frequencies + (a.own_frequencies ? r * a.half : 0);
      float* const out = a.table + r * 2 * a.half;
      for (int64_t i = 0; i < a.half; ++i) {
        const double angle = static_cast<float>(a.positions[r]) * f[i];
        out[i] = static_cast<float>(std::cos(angle)) * a.factor;
        out[a.half + i] = static_cast<float>(std::sin(angle)) * a.factor;
      }
    }
  });
}

}  // namespace jogak
#endif
