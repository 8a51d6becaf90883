#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/softmax_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/parallel.h"
#include "ops/kernels/exp-inl.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/softmax_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

inline constexpr int64_t kVectorsTogether = 8;

// Rows of one vector at most: their exponentials stay beside them until all sums are there, so that
// no row waits for another's sum. The steps are those of longer rows.
template <class T>
HWY_INLINE void SoftmaxVectors(const T* x, const T* times, T* y, int64_t rows, int64_t cols) {
  using S = SumType<T>;
  const Tag<T> d;
  const auto count = static_cast<size_t>(cols), lanes = hn::Lanes(d);
  const double lowest = -std::numeric_limits<double>::infinity();
  const auto load = [=](const T* row, double rest) {
    return count == lanes ? LoadAs(d, row) : LoadTail(d, row, count, rest);
  };
  HWY_ALIGN S parts[kVectorsTogether * kMaxLanes];
  S scale[kVectorsTogether];
  for (int64_t r = 0; r < rows; ++r) {
    const auto row = load(x + r * cols, lowest);
    const S top = MaxLanes(d, row);
    auto part = ExpWeight(d, hn::Sub(row, hn::Set(d, top)));
    scale[r] = S{1} / SumLanes(d, part);
    if (top == static_cast<S>(lowest)) part = hn::Zero(d), scale[r] = 0;
    hn::Store(part, d, parts + static_cast<size_t>(r) * lanes);
  }
  for (int64_t r = 0; r < rows; ++r) {
    auto out = hn::Mul(hn::Load(d, parts + static_cast<size_t>(r) * lanes), hn::Set(d, scale[r]));
    if (times) out = hn::Mul(Kept<T>(d, out), load(times + r * cols, 0));
    count == lanes ? StoreAs(out, d, y + r * cols) : StoreTail(out, d, y + r * cols, count);
  }
}

template <class T>
void SoftmaxRow(const T* x, T* y, int64_t n) {
  using S = SumType<T>;
  const Tag<T> d;
  const double lowest = -std::numeric_limits<double>::infinity();
  const S top =
      MaxLanes(d, Fold(x, n, lowest, lowest, [](auto, auto a, auto b) { return hn::Max(a, b); }));
  if (top == static_cast<S>(lowest))
    return Map(x, y, n, [](auto tag, auto) { return hn::Zero(tag); });
  const auto shift = hn::Set(d, top);
  constexpr bool kWhole = std::is_same_v<T, S>;  // y takes exponentials as they are
  auto sum = hn::Zero(d);
  Sweep<T>(n, [&](auto at) {
    const auto part = ExpWeight(d, hn::Sub(at.load(x), shift));
    if (kWhole) at.store(part, y);
    sum = hn::Add(sum, at.only(part));
  });
  const auto scale = hn::Set(d, S{1} / SumLanes(d, sum));
  if (kWhole) return Map(y, y, n, [scale](auto, auto v) { return hn::Mul(v, scale); });
  Map(x, y, n, [shift, scale](auto tag, auto v) {
    return hn::Mul(ExpWeight(tag, hn::Sub(v, shift)), scale);
  });
}

template <class T>
void SoftmaxRows(const T* x, const T* times, T* y, int64_t rows, int64_t cols) {
  parallel_for(rows, 4096 / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
    if (cols <= static_cast<int64_t>(hn::Lanes(Tag<T>()))) {
      for (int64_t r = begin; r < end; r += kVectorsTogether)
        SoftmaxVectors(x + r * cols, times ? times + r * cols : nullptr, y + r * cols,
                       std::min(kVectorsTogether, end - r), cols);
      return;
    }
    for (int64_t r = begin; r < end; ++r) {
      T* const row = y + r * cols;
      SoftmaxRow(x + r * cols, row, cols);
      if (times)
        Map(row, times + r * cols, row, cols, [](auto, auto p, auto q) { return hn::Mul(p, q); });
    }
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

void Softmax(const SoftmaxArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    SoftmaxRows(static_cast<const T*>(a.x), static_cast<const T*>(a.times), static_cast<T*>(a.y),
                a.rows, a.cols);
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

void run(OnCpu, const SoftmaxArgs& a) { HWY_DYNAMIC_DISPATCH(Softmax)(a); }

void run(OnCpu, const SoftmaxBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(SoftmaxBackward)(a.dtype, a.y, a.dy, a.dx, a.rows, a.cols);
}

}  // namespace jogak
#endif
