#include "ops/batch_norm_kernel.h"
#include "ops/kernels/columns.cuh"

namespace jogak::cuda {
namespace {

// A thread a column of a chunk: mean, then squares around it, measured from the first row that
// counts.
template <class T>
__global__ void chunk_kernel(BatchNormLearnArgs l, int64_t chunk_rows, int64_t chunks) {
  using S = Sum<T>;
  const BatchNormInput& a = l.rows;
  const int64_t col = first_index(), chunk = blockIdx.y;
  if (col >= a.cols) return;
  const int64_t begin = chunk * chunk_rows;
  const int64_t end = begin + chunk_rows < a.rows ? begin + chunk_rows : a.rows;
  const T* const x = static_cast<const T*>(a.x) + col;
  S first = 0, sum = 0;
  int64_t count = 0;
  for (int64_t r = begin; r < end; ++r) {
    if (a.mask && !a.mask[r]) continue;
    const S v = wide(x[r * a.cols]);
    if (count++ == 0)
      first = v;
    else
      sum += v - first;
  }
  const S mean = count ? first + sum / static_cast<S>(count) : S{0};
  S squares = 0;
  for (int64_t r = begin; r < end; ++r) {
    if (a.mask && !a.mask[r]) continue;
    const S gap = wide(x[r * a.cols]) - mean;
    squares += gap * gap;
  }
  S* const partials = static_cast<S*>(l.partials);
  partials[chunk * a.cols + col] = mean;
  partials[(chunks + chunk) * a.cols + col] = squares;
  if (col == 0) l.counts[chunk] = count;
}

// A thread a column: joins the chunks in their order, in double.
template <class T>
struct LearnColumn {
  BatchNormLearnArgs l;
  int64_t chunks;
  CudaFault* fault;
  __device__ void operator()(int64_t col) const {
    using S = Sum<T>;
    const int64_t cols = l.rows.cols;
    const S* const partials = static_cast<const S*>(l.partials);
    double mean = 0, squares = 0;
    int64_t before = 0;
    for (int64_t c = 0; c < chunks; ++c) {
      if (l.counts[c] == 0) continue;
      const double had = static_cast<double>(before), got = static_cast<double>(l.counts[c]);
      const double share = got / (had + got);
      const double gap = static_cast<double>(partials[c * cols + col]) - mean;
      mean += gap * share;
      squares += static_cast<double>(partials[(chunks + c) * cols + col]) + gap * gap * had * share;
      before += l.counts[c];
    }
    if (before < 2) {
      if (col == 0 && atomicCAS(&fault->kind, 0, int{CudaFault::rows}) == 0) fault->value = before;
      return;
    }
    const double n = static_cast<double>(before);
    S* const stats = static_cast<S*>(l.rows.stats);
    stats[col] = static_cast<S>(mean);
    stats[cols + col] = static_cast<S>(1 / sqrt(squares / n + l.eps));
    if (col == 0) stats[2 * cols] = static_cast<S>(n);
    if (!l.mean) return;
    S &old_mean = static_cast<S*>(l.mean)[col], &old_var = static_cast<S*>(l.var)[col];
    old_mean = static_cast<S>((1 - l.momentum) * old_mean + l.momentum * mean);
    old_var = static_cast<S>((1 - l.momentum) * old_var + l.momentum * (squares / (n - 1)));
  }
};

template <class T>
struct RecallColumn {
  BatchNormRecallArgs r;
  __device__ void operator()(int64_t col) const {
    using S = Sum<T>;
    S* const stats = static_cast<S*>(r.rows.stats);
    const double var = static_cast<double>(static_cast<const S*>(r.var)[col]);
    stats[col] = static_cast<const S*>(r.mean)[col];
    stats[r.rows.cols + col] = static_cast<S>(1 / sqrt(var + r.eps));
    if (col == 0) stats[2 * r.rows.cols] = 0;
  }
};

template <class T>
struct ApplyAt {
  BatchNormInput a;
  T* y;
  __device__ void operator()(int64_t i) const {
    using S = Sum<T>;
    const int64_t col = i % a.cols;
    const S* const stats = static_cast<const S*>(a.stats);
    S v = (wide(static_cast<const T*>(a.x)[i]) - stats[col]) * stats[a.cols + col];
    if (a.weight) v *= wide(static_cast<const T*>(a.weight)[col]);
    if (a.bias) v += wide(static_cast<const T*>(a.bias)[col]);
    y[i] = narrow<T>(v);
  }
};

// Sums of dy * xhat and of dy.
template <class T>
struct BatchShares {
  BatchNormInput a;
  const T* dy;
  __device__ void operator()(int64_t row, int64_t col, Sum<T> (&share)[2]) const {
    const Sum<T>* const stats = static_cast<const Sum<T>*>(a.stats);
    const int64_t i = row * a.cols + col;
    const Sum<T> g = wide(dy[i]);
    share[0] = g * ((wide(static_cast<const T*>(a.x)[i]) - stats[col]) * stats[a.cols + col]);
    share[1] = g;
  }
};

// The chunks' shares in their order, onto the first.
template <class S>
struct OntoFirst {
  S* shares;
  int64_t chunks, cols;
  __device__ void operator()(int64_t col) const {
    S sum = shares[col];
    for (int64_t c = 1; c < chunks; ++c) sum += shares[c * cols + col];
    shares[col] = sum;
  }
};

// dx = rstd weight (dy - (sum(dy) + xhat sum(dy xhat)) / n); a row that did not count, and every
// row outside training, has only dy.
template <class T>
struct BackwardAt {
  BatchNormBackwardArgs b;
  const Sum<T>*along, *flat;
  __device__ void operator()(int64_t i) const {
    using S = Sum<T>;
    const BatchNormInput& a = b.rows;
    const int64_t row = i / a.cols, col = i - row * a.cols;
    const S* const stats = static_cast<const S*>(a.stats);
    const S rstd = stats[a.cols + col];
    S v = wide(static_cast<const T*>(b.dy)[i]);
    if (b.training && (!a.mask || a.mask[row])) {
      const S xhat = (wide(static_cast<const T*>(a.x)[i]) - stats[col]) * rstd;
      v -= (xhat * along[col] + flat[col]) / stats[2 * a.cols];
    }
    v *= rstd;
    if (a.weight) v *= wide(static_cast<const T*>(a.weight)[col]);
    static_cast<T*>(b.dx)[i] = narrow<T>(v);
  }
};

}  // namespace

void run(OnCuda on, const BatchNormLearnArgs& a) {
  const int64_t rows = a.rows.rows, cols = a.rows.cols, size = batch_norm_chunk_rows(rows, cols);
  const int64_t chunks = batch_norm_chunks(rows, cols);
  for_float(a.rows.dtype, [&]<class T>() {
    start(on, {.blocks = (cols + 31) / 32, .threads = 32, .y = chunks}, chunk_kernel<T>, a, size,
          chunks);
    each(on, cols, LearnColumn<T>{a, chunks, device_of(on).fault()});
  });
}

void run(OnCuda on, const BatchNormRecallArgs& a) {
  for_float(a.rows.dtype, [&]<class T>() { each(on, a.rows.cols, RecallColumn<T>{a}); });
}

void run(OnCuda on, const BatchNormApplyArgs& a) {
  for_float(a.rows.dtype, [&]<class T>() {
    each(on, a.rows.rows * a.rows.cols, ApplyAt<T>{a.rows, static_cast<T*>(a.y)});
  });
}

void run(OnCuda on, const BatchNormBackwardArgs& b) {
  const int64_t rows = b.rows.rows, cols = b.rows.cols;
  for_float(b.rows.dtype, [&]<class T>() {
    using S = Sum<T>;
    const RowChunks chunks{rows, cols, batch_norm_chunk_rows(rows, cols)};
    S* const along = static_cast<S*>(b.partials);
    S* const flat = along ? along + chunks.count() * cols : nullptr;
    if (along) {
      sum_rows<2>(on, chunks, along, BatchShares<T>{b.rows, static_cast<const T*>(b.dy)});
      T* const out[] = {static_cast<T*>(b.dweight), static_cast<T*>(b.dbias)};
      add_chunks<2>(on, chunks, along, out);
    }
    if (!b.dx || rows == 0) return;
    for (S* shares : {along, flat})
      if (shares) each(on, cols, OntoFirst<S>{shares, chunks.count(), cols});
    each(on, rows * cols, BackwardAt<T>{b, along, flat});
  });
}

}  // namespace jogak::cuda
