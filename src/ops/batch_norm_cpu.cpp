#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/batch_norm_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <cmath>

#include "base/parallel.h"
#include "ops/batch_norm_kernel.h"
#include "ops/kernels/sweep-inl.h"

#ifndef JOGAK_OPS_BATCH_NORM_BLOCK_  // once for all instruction sets
#define JOGAK_OPS_BATCH_NORM_BLOCK_
namespace jogak {
inline constexpr int64_t kBatchNormBlock = 128;  // columns merged together
}
#endif

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// Mean and sum of squares around it of one chunk of rows, column by column. Rows are measured
// from the first that counts: far from zero their plain sum would lose the digits that differ.
template <class T>
int64_t BatchStatsOfChunk(const BatchNormInput& a, int64_t begin, int64_t end, SumType<T>* mean,
                          SumType<T>* squares) {
  using S = SumType<T>;
  std::fill(mean, mean + a.cols, S{0});
  std::fill(squares, squares + a.cols, S{0});
  const T* first = nullptr;
  int64_t count = 0;
  for (int64_t r = begin; r < end; ++r) {
    if (a.mask && !a.mask[r]) continue;
    const T* x = static_cast<const T*>(a.x) + r * a.cols;
    if (count++ == 0)
      first = x;
    else
      Sweep<T>(a.cols, [=](auto at) {
        at.store(hn::Add(at.load(mean), hn::Sub(at.load(x), at.load(first))), mean);
      });
  }
  if (count == 0) return 0;
  const auto n = SetAll<T>(static_cast<S>(count));
  Sweep<T>(a.cols,
           [=](auto at) { at.store(hn::Add(at.load(first), hn::Div(at.load(mean), n)), mean); });
  for (int64_t r = begin; r < end; ++r) {
    if (a.mask && !a.mask[r]) continue;
    const T* x = static_cast<const T*>(a.x) + r * a.cols;
    Sweep<T>(a.cols, [=](auto at) {
      const auto gap = hn::Sub(at.load(x), at.load(mean));
      at.store(hn::MulAdd(gap, gap, at.load(squares)), squares);
    });
  }
  return count;
}

template <class T>
void BatchNormRows(const BatchNormInput& a, T* y, int64_t begin, int64_t end) {
  using S = SumType<T>;
  const S *mean = static_cast<const S*>(a.stats), *rstd = mean + a.cols;
  const T *weight = static_cast<const T*>(a.weight), *bias = static_cast<const T*>(a.bias);
  for (int64_t r = begin; r < end; ++r) {
    const T* x = static_cast<const T*>(a.x) + r * a.cols;
    T* out = y + r * a.cols;
    Sweep<T>(a.cols, [=](auto at) {
      auto v = hn::Mul(hn::Sub(at.load(x), at.load(mean)), at.load(rstd));
      if (weight) v = hn::Mul(v, at.load(weight));
      if (bias) v = hn::Add(v, at.load(bias));
      at.store(v, out);
    });
  }
}

// Sums of dy * xhat and of dy over one chunk of rows.
template <class T>
void BatchNormShares(const BatchNormInput& a, const T* dy, int64_t begin, int64_t end,
                     SumType<T>* along, SumType<T>* flat) {
  using S = SumType<T>;
  const S *mean = static_cast<const S*>(a.stats), *rstd = mean + a.cols;
  std::fill(along, along + a.cols, S{0});
  std::fill(flat, flat + a.cols, S{0});
  for (int64_t r = begin; r < end; ++r) {
    const T *x = static_cast<const T*>(a.x) + r * a.cols, *g = dy + r * a.cols;
    Sweep<T>(a.cols, [=](auto at) {
      const auto xhat = hn::Mul(hn::Sub(at.load(x), at.load(mean)), at.load(rstd));
      at.store(hn::MulAdd(at.load(g), xhat, at.load(along)), along);
      at.store(hn::Add(at.load(g), at.load(flat)), flat);
    });
  }
}

// dx = rstd weight (dy - (sum(dy) + xhat sum(dy xhat)) / n); a row that did not count, and every
// row outside training, has no part in the statistics and so only dy.
template <class T>
void BatchNormBackwardRows(const BatchNormInput& a, const BatchNormBackwardArgs& b,
                           const SumType<T>* along, const SumType<T>* flat, int64_t begin,
                           int64_t end) {
  using S = SumType<T>;
  const S *mean = static_cast<const S*>(a.stats), *rstd = mean + a.cols;
  const T* weight = static_cast<const T*>(a.weight);
  const auto share = SetAll<T>(S{1} / mean[2 * a.cols]);
  for (int64_t r = begin; r < end; ++r) {
    const T* x = static_cast<const T*>(a.x) + r * a.cols;
    const T* dy = static_cast<const T*>(b.dy) + r * a.cols;
    T* dx = static_cast<T*>(b.dx) + r * a.cols;
    const bool counted = b.training && (!a.mask || a.mask[r]);
    Sweep<T>(a.cols, [=](auto at) {
      auto v = at.load(dy);
      const auto scale = at.load(rstd);
      if (counted) {
        const auto xhat = hn::Mul(hn::Sub(at.load(x), at.load(mean)), scale);
        v = hn::Sub(v, hn::Mul(share, hn::MulAdd(xhat, at.load(along), at.load(flat))));
      }
      v = hn::Mul(v, scale);
      if (weight) v = hn::Mul(v, at.load(weight));
      at.store(v, dx);
    });
  }
}

// The chunks' shares added in their order, onto the first; rounded into `out` where wanted.
template <class T>
void BatchNormAddChunks(SumType<T>* shares, T* out, int64_t chunks, int64_t cols) {
  parallel_for(cols, kBatchNormBlock, [=](int64_t begin, int64_t end) {
    Sweep<T>(end - begin, [=](auto at) {
      auto sum = chunks ? at.load(shares + begin) : hn::Zero(at.d);
      for (int64_t c = 1; c < chunks; ++c) sum = hn::Add(sum, at.load(shares + c * cols + begin));
      if (chunks) at.store(sum, shares + begin);
      if (out) at.store(sum, out + begin);
    });
  });
}

void BatchNormPartials(const BatchNormInput& a, void* partials, int64_t* counts) {
  for_float_type(a.dtype, [&]<class T>() {
    const int64_t chunk = batch_norm_chunk_rows(a.rows, a.cols);
    const int64_t chunks = batch_norm_chunks(a.rows, a.cols);
    auto* means = static_cast<SumType<T>*>(partials);
    parallel_for(a.rows, chunk, [&](int64_t begin, int64_t end) {
      const int64_t c = begin / chunk;
      counts[c] =
          BatchStatsOfChunk<T>(a, begin, end, means + c * a.cols, means + (chunks + c) * a.cols);
    });
  });
}

void BatchNormApply(const BatchNormInput& a, void* y) {
  for_float_type(a.dtype, [&]<class T>() {
    parallel_for(a.rows, 8192 / (a.cols + 1) + 1, [&](int64_t begin, int64_t end) {
      BatchNormRows(a, static_cast<T*>(y), begin, end);
    });
  });
}

void BatchNormBackward(const BatchNormInput& a, const BatchNormBackwardArgs& b) {
  for_float_type(a.dtype, [&]<class T>() {
    const int64_t chunk = batch_norm_chunk_rows(a.rows, a.cols);
    const int64_t chunks = batch_norm_chunks(a.rows, a.cols);
    auto* along = static_cast<SumType<T>*>(b.partials);
    auto* flat = along ? along + chunks * a.cols : nullptr;
    if (along) {
      parallel_for(a.rows, chunk, [&](int64_t begin, int64_t end) {
        const int64_t at = begin / chunk * a.cols;
        BatchNormShares(a, static_cast<const T*>(b.dy), begin, end, along + at, flat + at);
      });
      BatchNormAddChunks(along, static_cast<T*>(b.dweight), chunks, a.cols);
      BatchNormAddChunks(flat, static_cast<T*>(b.dbias), chunks, a.cols);
    }
    if (!b.dx) return;
    parallel_for(a.rows, 8192 / (a.cols + 1) + 1, [&](int64_t begin, int64_t end) {
      BatchNormBackwardRows<T>(a, b, along, flat, begin, end);
    });
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(BatchNormPartials);
HWY_EXPORT(BatchNormApply);
HWY_EXPORT(BatchNormBackward);

namespace {

// Joins the chunks' means and squares in their order, for columns [begin, end).
template <class S>
void merge_columns(const BatchNormInput& a, const S* means, const int64_t* counts, double* mean,
                   double* squares, int64_t begin, int64_t end) {
  const int64_t chunks = batch_norm_chunks(a.rows, a.cols);
  int64_t before = 0;
  for (int64_t c = 0; c < chunks; ++c) {
    if (counts[c] == 0) continue;
    const S *next = means + c * a.cols, *around = means + (chunks + c) * a.cols;
    const auto had = static_cast<double>(before), got = static_cast<double>(counts[c]);
    const double share = got / (had + got), spread = had * share;
    for (int64_t i = begin; i < end; ++i) {
      const double gap = next[i] - mean[i - begin];
      mean[i - begin] += gap * share;
      squares[i - begin] += around[i] + gap * gap * spread;
    }
    before += counts[c];
  }
}

template <class S>
void learn(const BatchNormLearnArgs& l) {
  const BatchNormInput& a = l.rows;
  const S* const partials = static_cast<const S*>(l.partials);
  const int64_t* const counts = l.counts;
  int64_t total = 0;
  for (int64_t c = 0; c < batch_norm_chunks(a.rows, a.cols); ++c) total += counts[c];
  ensure<Error>(total >= 2,
                "batch_norm: training wants at least 2 rows that count, the mask leaves ", total);
  const auto n = static_cast<double>(total);
  S* stats = static_cast<S*>(a.stats);
  stats[2 * a.cols] = static_cast<S>(n);
  parallel_for(a.cols, kBatchNormBlock, [&](int64_t begin, int64_t end) {
    double mean[kBatchNormBlock] = {}, squares[kBatchNormBlock] = {};
    merge_columns(a, partials, counts, mean, squares, begin, end);
    const auto blend = [&](void* old, int64_t i, double value) {
      S& slot = static_cast<S*>(old)[i];
      slot = static_cast<S>((1 - l.momentum) * slot + l.momentum * value);
    };
    for (int64_t i = begin; i < end; ++i) {
      const double around = squares[i - begin];
      stats[i] = static_cast<S>(mean[i - begin]);
      stats[a.cols + i] = static_cast<S>(1 / std::sqrt(around / n + l.eps));
      if (!l.mean) continue;
      blend(l.mean, i, mean[i - begin]);
      blend(l.var, i, around / (n - 1));
    }
  });
}

}  // namespace

void run(OnCpu, const BatchNormLearnArgs& l) {
  HWY_DYNAMIC_DISPATCH(BatchNormPartials)(l.rows, l.partials, l.counts);
  for_float_type(l.rows.dtype, [&]<class T>() { learn<SumType<T>>(l); });
}

void run(OnCpu, const BatchNormRecallArgs& r) {
  const BatchNormInput& a = r.rows;
  for_float_type(a.dtype, [&]<class T>() {
    using S = SumType<T>;
    S* stats = static_cast<S*>(a.stats);
    for (int64_t i = 0; i < a.cols; ++i) {
      stats[i] = static_cast<const S*>(r.mean)[i];
      stats[a.cols + i] = static_cast<S>(
          1 / std::sqrt(static_cast<double>(static_cast<const S*>(r.var)[i]) + r.eps));
    }
    stats[2 * a.cols] = 0;
  });
}

void run(OnCpu, const BatchNormApplyArgs& a) { HWY_DYNAMIC_DISPATCH(BatchNormApply)(a.rows, a.y); }

void run(OnCpu, const BatchNormBackwardArgs& b) {
  HWY_DYNAMIC_DISPATCH(BatchNormBackward)(b.rows, b);
}

}  // namespace jogak
#endif
