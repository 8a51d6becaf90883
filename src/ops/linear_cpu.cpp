#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/linear_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>

#include "base/parallel.h"
#include "ops/activation-inl.h"
#include "ops/linear_kernel.h"
#include "ops/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

template <class T>
void AddBias(T* z, const T* bias, int64_t cols) {
  Map(z, bias, z, cols, [](auto, auto a, auto b) { return hn::Add(a, b); });
}

// Columns [c0, c0 + width) of every row, top to bottom: dz, and the sums in registers' order.
template <class T, class Kind>
void BackwardColumns(Kind kind, const T* z, const T* dy, T* dz, SumType<T>* sums, int64_t rows,
                     int64_t cols, int64_t c0, int64_t width) {
  using S = SumType<T>;
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  std::fill(sums, sums + width, S{0});
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = r * cols + c0;
    for (int64_t i = 0; i < width; i += lanes) {
      const auto left = static_cast<size_t>(std::min(lanes, width - i));
      const bool whole = static_cast<int64_t>(left) == lanes;
      auto g = whole ? LoadAs(d, dy + at + i) : LoadTail(d, dy + at + i, left);
      if constexpr (Kind::value != Activation::none) {
        const auto v = whole ? LoadAs(d, z + at + i) : LoadTail(d, z + at + i, left);
        g = hn::Mul(g, ActGrad(d, v, kind));
        whole ? StoreAs(g, d, dz + at + i) : StoreTail(g, d, dz + at + i, left);
      }
      const auto sum = hn::Add(whole ? hn::LoadU(d, sums + i) : LoadTail(d, sums + i, left), g);
      whole ? hn::StoreU(sum, d, sums + i) : StoreTail(sum, d, sums + i, left);
    }
  }
}

}  // namespace

void BiasActivate(DType dtype, Activation act, void* z_any, const void* bias_any, void* y_any,
                  int64_t rows, int64_t cols) {
  for_float_type(dtype, [=]<class T>() {
    T *z = static_cast<T*>(z_any), *y = static_cast<T*>(y_any);
    const T* bias = static_cast<const T*>(bias_any);
    ForActivation(act, [=](auto kind) {
      parallel_for(rows, (1 << 14) / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          if (bias) AddBias(z + r * cols, bias, cols);
          if (y)
            Map(z + r * cols, y + r * cols, cols,
                [kind](auto d, auto v) { return Act(d, v, kind); });
        }
      });
    });
  });
}

void BiasActivateBackward(DType dtype, Activation act, const void* z_any, const void* dy_any,
                          void* dz_any, void* dbias_any, int64_t rows, int64_t cols) {
  for_float_type(dtype, [=]<class T>() {
    const T *z = static_cast<const T*>(z_any), *dy = static_cast<const T*>(dy_any);
    T *dz = static_cast<T*>(dz_any), *dbias = static_cast<T*>(dbias_any);
    constexpr int64_t kWidth = 64;
    ForActivation(act, [=](auto kind) {
      parallel_for((cols + kWidth - 1) / kWidth, 1, [=](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
          SumType<T> sums[kWidth];
          const int64_t c0 = block * kWidth, width = std::min(kWidth, cols - c0);
          BackwardColumns(kind, z, dy, dz, sums, rows, cols, c0, width);
          if (dbias)
            for (int64_t i = 0; i < width; ++i) dbias[c0 + i] = convert<T>(sums[i]);
        }
      });
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(BiasActivate);
HWY_EXPORT(BiasActivateBackward);

void bias_activate(DType dtype, Activation act, void* z, const void* bias, void* y, int64_t rows,
                   int64_t cols) {
  HWY_DYNAMIC_DISPATCH(BiasActivate)(dtype, act, z, bias, y, rows, cols);
}

void bias_activate_backward(DType dtype, Activation act, const void* z, const void* dy, void* dz,
                            void* dbias, int64_t rows, int64_t cols) {
  HWY_DYNAMIC_DISPATCH(BiasActivateBackward)(dtype, act, z, dy, dz, dbias, rows, cols);
}

}  // namespace jogak::cpu
#endif
