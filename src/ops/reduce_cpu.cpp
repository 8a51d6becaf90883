#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include "base/parallel.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/reduce_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// Along the last axis: short sums in float, added in double.
template <class T>
double ReduceSpan(const T* x, int64_t n) {
  constexpr int64_t kShort = 256;
  double sum = 0;
  for (int64_t i = 0; i < n; i += kShort) {
    const T* part = x + i;
    sum += SweepSum<T>(std::min(kShort, n - i), [=](auto at) { return at.load(part); });
  }
  return sum;
}

// Column sums of some rows, four at a time: memory is read as it lies.
template <class T>
void ReduceRows(const T* x, int64_t rows, int64_t inner, double* sums) {
  using S = SumType<T>;
  constexpr int64_t kColumns = 1 << 10;
  S out[kColumns];
  for (int64_t col = 0; col < inner; col += kColumns) {
    const int64_t n = std::min(kColumns, inner - col);
    std::fill(out, out + n, S{0});
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4)
      Sweep<T>(n, [=, a = x + r * inner + col, to = out](auto at) {
        const auto two = hn::Add(at.load(a), at.load(a + inner));
        const auto more = hn::Add(at.load(a + 2 * inner), at.load(a + 3 * inner));
        at.store(hn::Add(at.load(to), hn::Add(two, more)), to);
      });
    for (; r < rows; ++r)
      Sweep<T>(n, [a = x + r * inner + col, to = out](auto at) {
        at.store(hn::Add(at.load(to), at.load(a)), to);
      });
    std::copy(out, out + n, sums + col);
  }
}

void ReducePieces(const ReduceShape& r, const void* x, double* partials) {
  for_float_type(r.dtype, [&]<class T>() {
    const int64_t piece = reduce_piece(r), pieces = reduce_pieces(r);
    const int64_t grain = (1 << 14) / (std::min(piece, r.n) * r.inner + 1) + 1;
    parallel_for(r.outer * pieces, grain, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const int64_t from = p % pieces * piece, n = std::min(piece, r.n - from);
        const T* at = static_cast<const T*>(x) + (p / pieces * r.n + from) * r.inner;
        if (r.inner == 1)
          partials[p] = ReduceSpan(at, n);
        else
          ReduceRows(at, n, r.inner, partials + p * r.inner);
      }
    });
  });
}

void ReduceBackward(const ReduceShape& r, const void* dy, void* dx) {
  for_float_type(r.dtype, [&]<class T>() {
    using S = SumType<T>;
    const T* from = static_cast<const T*>(dy);
    T* to = static_cast<T*>(dx);
    const S scale = static_cast<S>(1 / r.divisor);
    if (r.inner != 1)
      return parallel_for(
          r.outer * r.n, (1 << 14) / (r.inner + 1) + 1, [=](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row)
              Map(from + row / r.n * r.inner, to + row * r.inner, r.inner,
                  [scale](auto d, auto v) { return hn::Mul(v, hn::Set(d, scale)); });
          });
    parallel_for(r.outer * r.n, 1 << 14, [=](int64_t begin, int64_t end) {
      while (begin < end) {  // what lies in one row is one number
        const int64_t row = begin / r.n, stop = std::min(end, (row + 1) * r.n);
        std::fill(to + begin, to + stop, convert<T>(convert<S>(from[row]) * scale));
        begin = stop;
      }
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(ReducePieces);
HWY_EXPORT(ReduceBackward);

void run(OnCpu, const ReduceArgs& a) {
  const ReduceShape& r = a.shape;
  HWY_DYNAMIC_DISPATCH(ReducePieces)(r, a.x, a.partials);
  constexpr int64_t kColumns = 128;
  const int64_t pieces = reduce_pieces(r), blocks = (r.inner + kColumns - 1) / kColumns;
  for_float_type(r.dtype, [&]<class T>() {
    parallel_for(r.outer * blocks, (1 << 12) / kColumns, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t row = b / blocks, col = b % blocks * kColumns;
        const int64_t n = std::min(kColumns, r.inner - col);
        double sums[kColumns];
        std::fill(sums, sums + n, 0.0);
        for (int64_t p = 0; p < pieces; ++p) {
          const double* part = a.partials + (row * pieces + p) * r.inner + col;
          for (int64_t i = 0; i < n; ++i) sums[i] += part[i];
        }
        T* out = static_cast<T*>(a.y) + row * r.inner + col;
        for (int64_t i = 0; i < n; ++i) out[i] = convert<T>(sums[i] / r.divisor);
      }
    });
  });
}

void run(OnCpu, const ReduceBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(ReduceBackward)(a.shape, a.dy, a.dx);
}

}  // namespace jogak
#endif
