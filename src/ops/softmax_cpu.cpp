#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/softmax_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/contrib/math/math-inl.h>

#include <limits>

#include "base/parallel.h"
#include "ops/kernels/simd-inl.h"
#include "ops/softmax_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

template <class T>
void SoftmaxRow(const T* x, T* y, int64_t n) {
  const Tag<T> d;
  using S = SumType<T>;
  const double lowest = -std::numeric_limits<double>::infinity();
  const S top =
      MaxLanes(d, Fold(x, n, lowest, lowest, [](auto, auto a, auto b) { return hn::Max(a, b); }));
  if (top == static_cast<S>(lowest))
    return Map(x, y, n, [](auto tag, auto) { return hn::Zero(tag); });
  const auto shift = hn::Set(d, top);
  // The tail's filler is -inf, whose exponential adds nothing.
  const S sum = SumLanes(d, Fold(x, n, 0, lowest, [shift](auto tag, auto a, auto b) {
                           return hn::Add(a, ExpNan(tag, hn::Sub(b, shift)));
                         }));
  const auto scale = hn::Set(d, S{1} / sum);
  Map(x, y, n,
      [shift, scale](auto tag, auto v) { return hn::Mul(ExpNan(tag, hn::Sub(v, shift)), scale); });
}

template <class T>
void SoftmaxRows(const T* x, T* y, int64_t rows, int64_t cols) {
  parallel_for(rows, 4096 / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) SoftmaxRow(x + r * cols, y + r * cols, cols);
  });
}

template <class T>
void SoftmaxBackwardRows(const T* y, const T* dy, T* dx, int64_t rows, int64_t cols) {
  parallel_for(rows, 4096 / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
    const Tag<T> d;
    for (int64_t r = begin; r < end; ++r) {
      const T *yr = y + r * cols, *dyr = dy + r * cols;
      const auto dot = hn::Set(d, SumLanes(d, Fold(yr, dyr, cols, [](auto, auto a, auto p, auto g) {
                                             return hn::MulAdd(p, g, a);
                                           })));
      Map(yr, dyr, dx + r * cols, cols,
          [dot](auto, auto p, auto g) { return hn::Mul(p, hn::Sub(g, dot)); });
    }
  });
}

void Softmax(DType dtype, const void* x, void* y, int64_t rows, int64_t cols) {
  for_float_type(dtype, [=]<class T>() {
    SoftmaxRows(static_cast<const T*>(x), static_cast<T*>(y), rows, cols);
  });
}

void SoftmaxBackward(DType dtype, const void* y, const void* dy, void* dx, int64_t rows,
                     int64_t cols) {
  for_float_type(dtype, [=]<class T>() {
    SoftmaxBackwardRows(static_cast<const T*>(y), static_cast<const T*>(dy), static_cast<T*>(dx),
                        rows, cols);
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Softmax);
HWY_EXPORT(SoftmaxBackward);

void run(OnCpu, const SoftmaxArgs& a) {
  HWY_DYNAMIC_DISPATCH(Softmax)(a.dtype, a.x, a.y, a.rows, a.cols);
}

void run(OnCpu, const SoftmaxBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(SoftmaxBackward)(a.dtype, a.y, a.dy, a.dx, a.rows, a.cols);
}

}  // namespace jogak
#endif
