#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/norm_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <algorithm>

#include "base/parallel.h"
#include "ops/kernels/sweep-inl.h"
#include "ops/norm_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// Rows whose statistics are made together: a quotient and a root of many cost what those of one do.
// Long rows go one by one, so that they stay in the cache.
template <class T>
int64_t RowsTogether(int64_t cols) {
  return cols <= 256 ? static_cast<int64_t>(hn::Lanes(Tag<T>())) : 1;
}

// Mean and 1 / deviation of some rows; the mean first and then the squares around it, which keeps
// its precision where the mean is large. `mean` and `rstd` have room for a vector.
template <class T>
HWY_INLINE void NormStats(const NormArgs& a, const T* x, int64_t rows, SumType<T>* mean,
                          SumType<T>* rstd) {
  using S = SumType<T>;
  const Tag<T> d;
  const auto size = hn::Set(d, static_cast<S>(a.cols));
  std::fill_n(mean, hn::Lanes(d), S{0});
  std::fill_n(rstd, hn::Lanes(d), S{0});
  if (a.centered) {
    for (int64_t r = 0; r < rows; ++r)
      mean[r] = SweepSum<T>(a.cols, [=](auto at) { return at.load(x + r * a.cols); });
    hn::StoreU(hn::Div(hn::LoadU(d, mean), size), d, mean);
  }
  for (int64_t r = 0; r < rows; ++r) {
    const auto middle = hn::Set(d, mean[r]);
    rstd[r] = SweepSum<T>(a.cols, [=](auto at) {
      const auto v = hn::Sub(at.load(x + r * a.cols), middle);
      return hn::Mul(v, v);
    });
  }
  const auto variance = hn::Div(hn::LoadU(d, rstd), size), eps = hn::Set(d, static_cast<S>(a.eps));
  const auto root = hn::Sqrt(hn::Add(variance, eps));
  hn::StoreU(hn::Div(hn::Set(d, S{1}), root), d, rstd);
}

template <class T>
void NormRows(const NormArgs& a, int64_t begin, int64_t end) {
  using S = SumType<T>;
  const auto *weight = static_cast<const T*>(a.weight), *bias = static_cast<const T*>(a.bias);
  auto* stats = static_cast<S*>(a.stats);
  const int64_t most = RowsTogether<T>(a.cols);
  for (int64_t first = begin; first < end; first += most) {
    const int64_t rows = std::min(most, end - first), at_first = first * a.cols;
    const T* x = static_cast<const T*>(a.x) + at_first;
    T* y = static_cast<T*>(a.y) + at_first;
    if (a.residual) {
      T* sum = static_cast<T*>(a.sum) + at_first;
      Map(x, static_cast<const T*>(a.residual) + at_first, sum, rows * a.cols,
          [](auto, auto p, auto q) { return hn::Add(p, q); });
      x = sum;
    }
    S mean[kMaxLanes], rstd[kMaxLanes];
    NormStats(a, x, rows, mean, rstd);
    for (int64_t r = 0; r < rows; ++r, x += a.cols, y += a.cols) {
      const auto middle = SetAll<T>(mean[r]), scale = SetAll<T>(rstd[r]);
      Sweep<T>(a.cols, [=](auto at) {
        auto v = hn::Mul(hn::Sub(at.load(x), middle), scale);
        if (weight) v = hn::Mul(v, at.load(weight));
        if (bias) v = hn::Add(v, at.load(bias));
        at.store(v, y);
      });
    }
    if (!stats) continue;
    std::copy_n(rstd, rows, stats + first);
    if (a.centered) std::copy_n(mean, rows, stats + a.rows + first);
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
