#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/norm_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <cmath>

#include "base/parallel.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/norm_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// Mean and 1 / deviation; the mean first and then the squares around it, which keeps its
// precision where the mean is large.
template <class T>
HWY_INLINE void NormRowStats(const T* x, int64_t n, bool centered, double eps, SumType<T>& mean,
                             SumType<T>& rstd) {
  using S = SumType<T>;
  mean = 0;
  if (centered) mean = SweepSum<T>(n, [=](auto at) { return at.load(x); }) / static_cast<S>(n);
  const auto middle = SetAll<T>(mean);
  const S squares = SweepSum<T>(n, [=](auto at) {
    const auto v = hn::Sub(at.load(x), middle);
    return hn::Mul(v, v);
  });
  rstd = S{1} / std::sqrt(squares / static_cast<S>(n) + static_cast<S>(eps));
}

template <class T>
void NormRows(const NormArgs& a, int64_t begin, int64_t end) {
  using S = SumType<T>;
  const auto *weight = static_cast<const T*>(a.weight), *bias = static_cast<const T*>(a.bias);
  auto* stats = static_cast<S*>(a.stats);
  for (int64_t r = begin; r < end; ++r) {
    const T* x = static_cast<const T*>(a.x) + r * a.cols;
    T* y = static_cast<T*>(a.y) + r * a.cols;
    if (a.residual) {
      const T* residual = static_cast<const T*>(a.residual) + r * a.cols;
      T* sum = static_cast<T*>(a.sum) + r * a.cols;
      Map(x, residual, sum, a.cols, [](auto, auto p, auto q) { return hn::Add(p, q); });
      x = sum;
    }
    S mean, rstd;
    NormRowStats(x, a.cols, a.centered, a.eps, mean, rstd);
    const auto middle = SetAll<T>(mean), scale = SetAll<T>(rstd);
    Sweep<T>(a.cols, [=](auto at) {
      auto v = hn::Mul(hn::Sub(at.load(x), middle), scale);
      if (weight) v = hn::Mul(v, at.load(weight));
      if (bias) v = hn::Add(v, at.load(bias));
      at.store(v, y);
    });
    if (!stats) continue;
    stats[r] = rstd;
    if (a.centered) stats[a.rows + r] = mean;
  }
}

// Shares of dweight (dy * xhat) and dbias (dy) of one row, onto the chunk's.
template <class T>
HWY_INLINE void NormAddShares(const T* x, const T* dy, SumType<T>* dweight, SumType<T>* dbias,
                              int64_t n, SumType<T> mean, SumType<T> rstd) {
  const auto middle = SetAll<T>(mean), scale = SetAll<T>(rstd);
  if (dweight)
    Sweep<T>(n, [=](auto at) {
      const auto xhat = hn::Mul(hn::Sub(at.load(x), middle), scale);
      at.store(hn::MulAdd(at.load(dy), xhat, at.load(dweight)), dweight);
    });
  if (dbias) Sweep<T>(n, [=](auto at) { at.store(hn::Add(at.load(dbias), at.load(dy)), dbias); });
}

// dx = rstd (g - mean(g) - xhat mean(g xhat)) + dsum with g = dy weight; no mean(g) when the
// mean was not taken off.
template <class T>
HWY_INLINE void NormBackwardRow(const NormBackwardArgs& a, int64_t r, SumType<T> mean,
                                SumType<T> rstd) {
  using S = SumType<T>;
  const int64_t n = a.cols;
  const T *x = static_cast<const T*>(a.x) + r * n, *dy = static_cast<const T*>(a.dy) + r * n;
  const T* weight = static_cast<const T*>(a.weight);
  const T* dsum = a.dsum ? static_cast<const T*>(a.dsum) + r * n : nullptr;
  T* dx = static_cast<T*>(a.dx) + r * n;
  const auto middle = SetAll<T>(mean), scale = SetAll<T>(rstd);
  const auto through = [=](auto at) {
    return weight ? hn::Mul(at.load(dy), at.load(weight)) : at.load(dy);
  };
  S flat = 0;
  if (a.centered) flat = SweepSum<T>(n, through) / static_cast<S>(n);
  const S slope =
      SweepSum<T>(n,
                  [=](auto at) {
                    return hn::Mul(through(at), hn::Mul(hn::Sub(at.load(x), middle), scale));
                  }) /
      static_cast<S>(n);
  const auto level = SetAll<T>(flat), tilt = SetAll<T>(slope);
  Sweep<T>(n, [=](auto at) {
    const auto xhat = hn::Mul(hn::Sub(at.load(x), middle), scale);
    auto v = hn::Mul(scale, hn::Sub(hn::Sub(through(at), level), hn::Mul(xhat, tilt)));
    if (dsum) v = hn::Add(v, at.load(dsum));
    at.store(v, dx);
  });
}

template <class T>
void NormBackwardChunk(const NormBackwardArgs& a, int64_t begin, int64_t end) {
  using S = SumType<T>;
  const int64_t chunk = begin / norm_chunk_rows(a.rows, a.cols);
  const int64_t chunks = norm_chunks(a.rows, a.cols);
  S* partials = static_cast<S*>(a.partials);
  S* dweight = a.dweight ? partials + chunk * a.cols : nullptr;
  S* dbias = a.dbias ? partials + (chunks + chunk) * a.cols : nullptr;
  if (dweight) std::fill(dweight, dweight + a.cols, S{0});
  if (dbias) std::fill(dbias, dbias + a.cols, S{0});
  const S* stats = static_cast<const S*>(a.stats);
  for (int64_t r = begin; r < end; ++r) {
    const S rstd = stats[r], mean = a.centered ? stats[a.rows + r] : S{0};
    NormAddShares(static_cast<const T*>(a.x) + r * a.cols, static_cast<const T*>(a.dy) + r * a.cols,
                  dweight, dbias, a.cols, mean, rstd);
    if (a.dx) NormBackwardRow<T>(a, r, mean, rstd);
  }
}

// out = the chunks' shares, added in their order.
template <class T>
void NormAddChunks(const SumType<T>* shares, T* out, int64_t chunks, int64_t cols) {
  using S = SumType<T>;
  parallel_for(cols, 256, [=](int64_t begin, int64_t end) {
    Sweep<T>(end - begin, [=](auto at) {
      auto sum = hn::Zero(at.d);
      for (int64_t c = 0; c < chunks; ++c)
        sum = hn::Add(sum, at.load(static_cast<const S*>(shares + c * cols + begin)));
      at.store(sum, out + begin);
    });
  });
}

void Norm(const NormArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    parallel_for(a.rows, 4096 / (a.cols + 1) + 1,
                 [&](int64_t begin, int64_t end) { NormRows<T>(a, begin, end); });
  });
}

void NormBackward(const NormBackwardArgs& a) {
  for_float_type(a.dtype, [&]<class T>() {
    using S = SumType<T>;
    parallel_for(a.rows, norm_chunk_rows(a.rows, a.cols),
                 [&](int64_t begin, int64_t end) { NormBackwardChunk<T>(a, begin, end); });
    const int64_t chunks = norm_chunks(a.rows, a.cols);
    const S* partials = static_cast<const S*>(a.partials);
    if (a.dweight) NormAddChunks(partials, static_cast<T*>(a.dweight), chunks, a.cols);
    if (a.dbias)
      NormAddChunks(partials + chunks * a.cols, static_cast<T*>(a.dbias), chunks, a.cols);
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(Norm);
HWY_EXPORT(NormBackward);

void run(OnCpu, const NormArgs& a) { HWY_DYNAMIC_DISPATCH(Norm)(a); }
void run(OnCpu, const NormBackwardArgs& a) { HWY_DYNAMIC_DISPATCH(NormBackward)(a); }

}  // namespace jogak
#endif
