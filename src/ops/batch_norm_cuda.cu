#include "ops/batch_norm_kernel.h"
#include "ops/kernels/columns.cuh"

namespace jogak::cuda {
namespace {

// kWide columns of a row at once: a pack where rows lie in packs, else one.
template <int kWide, class T>
__device__ __forceinline__ void load_wide(const T* from, Sum<T> (&to)[kWide]) {
  const auto pack = *reinterpret_cast<const Pack<T, kWide>*>(from);
#pragma unroll
  for (int j = 0; j < kWide; ++j) to[j] = wide(pack.at[j]);
}
template <int kWide, class T>
__device__ __forceinline__ void store_wide(T* to, const Sum<T> (&from)[kWide]) {
  Pack<T, kWide> pack;
#pragma unroll
  for (int j = 0; j < kWide; ++j) pack.at[j] = narrow<T>(from[j]);
  *reinterpret_cast<Pack<T, kWide>*>(to) = pack;
}

// body.template operator()<T, kWide>()
template <class Body>
void for_width(const BatchNormInput& a, std::initializer_list<const void*> arrays, Body&& body) {
  for_float(a.dtype, [&]<class T>() {
    if (lies_in_packs<T>(a.cols, arrays) && a.rows * a.cols < INT32_MAX)
      body.template operator()<T, kPack<T>>();
    else
      body.template operator()<T, 1>();
  });
}

// Of some rows of a column: how many, their mean, and their squares around it.
template <class S>
struct Moments {
  S count = 0, mean = 0, squares = 0;
  __device__ void join(const Moments& more) {
    if (more.count == 0) return;
    const S gap = more.mean - mean, share = more.count / (count + more.count);
    squares += more.squares + gap * gap * count * share;
    mean += gap * share;
    count += more.count;
  }
};

// The lines of a block joined in their order, by the first.
template <class S>
__device__ Moments<S> join_lines(const Moments<S>& mine) {
  __shared__ S counts[kSumLines][32], means[kSumLines][32], squares[kSumLines][32];
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32;
  __syncthreads();  // before they are used again
  counts[line][lane] = mine.count, means[line][lane] = mine.mean;
  squares[line][lane] = mine.squares;
  __syncthreads();
  Moments<S> all;
  for (int i = 0; line == 0 && i < kSumLines; ++i)
    all.join({counts[i][lane], means[i][lane], squares[i][lane]});
  return all;
}

// [chunks, cols] each. A line of a block takes every kSumLines-th row of a chunk, measured from the
// first that counts, so that little cancels.
template <class T, int kWide>
__global__ void moments_kernel(BatchNormInput a, RowChunks c, Moments<Sum<T>>* out) {
  using S = Sum<T>;
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32;
  const int64_t col = (static_cast<int64_t>(blockIdx.x) * 32 + lane) * kWide;
  const int64_t chunk = blockIdx.y, begin = chunk * c.size;
  const int64_t end = begin + c.size < c.rows ? begin + c.size : c.rows;
  const T* const x = static_cast<const T*>(a.x) + col;
  const bool* const mask = a.mask;
  S first[kWide] = {}, sums[kWide] = {}, squares[kWide] = {}, count = 0;
  int64_t row = begin + line;
  while (mask && row < end && !mask[row]) row += kSumLines;
  if (col < c.cols && row < end) {
    load_wide<kWide>(x + row * c.cols, first);
    count = 1;
#pragma unroll 4
    for (row += kSumLines; row < end; row += kSumLines) {
      if (mask && !mask[row]) continue;
      S v[kWide];
      load_wide<kWide>(x + row * c.cols, v);
      count += 1;
#pragma unroll
      for (int j = 0; j < kWide; ++j) {
        const S gap = v[j] - first[j];
        sums[j] += gap;
        squares[j] += gap * gap;
      }
    }
  }
#pragma unroll
  for (int j = 0; j < kWide; ++j) {
    const S shift = count > 0 ? sums[j] / count : S{0}, rest = squares[j] - sums[j] * shift;
    const Moments<S> all =
        join_lines(Moments<S>{count, first[j] + shift, rest > S{0} || rest != rest ? rest : S{0}});
    if (line == 0 && col < c.cols) out[chunk * c.cols + col + j] = all;
  }
}

// The sum over the lines of a block, for all of them.
__device__ __forceinline__ double over_all_lines(double mine) {
  __shared__ double parts[kJoinLines][32];
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32;
  __syncthreads();  // before they are used again
  parts[line][lane] = mine;
  __syncthreads();
  double sum = 0;
#pragma unroll
  for (int i = 0; i < kJoinLines; ++i) sum += parts[i][lane];
  return sum;
}

// 32 columns a block, in double: the mean over all chunks, then the squares around it.
template <class T>
__global__ void __launch_bounds__(32 * kJoinLines)
    learn_kernel(BatchNormLearnArgs l, const Moments<Sum<T>>* parts, int64_t chunks,
                 CudaFault* fault) {
  using S = Sum<T>;
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32;
  const int64_t cols = l.rows.cols, col = static_cast<int64_t>(blockIdx.x) * 32 + lane;
  double count = 0, sum = 0, around = 0;
#pragma unroll 4
  for (int64_t c = line; col < cols && c < chunks; c += kJoinLines) {
    const Moments<S> part = parts[c * cols + col];
    count += static_cast<double>(part.count);
    sum += static_cast<double>(part.count) * static_cast<double>(part.mean);
  }
  const double n = over_all_lines(count), mean = over_all_lines(sum) / (n > 0 ? n : 1);
#pragma unroll 4
  for (int64_t c = line; col < cols && c < chunks; c += kJoinLines) {
    const Moments<S> part = parts[c * cols + col];
    const double gap = static_cast<double>(part.mean) - mean;
    around += static_cast<double>(part.squares) + static_cast<double>(part.count) * gap * gap;
  }
  const double squares = over_all_lines(around);
  if (line > 0 || col >= cols) return;
  if (n < 2) {
    if (col == 0 && atomicCAS(&fault->kind, 0, int{CudaFault::rows}) == 0)
      fault->value = static_cast<int64_t>(n);
    return;
  }
  S* const stats = static_cast<S*>(l.rows.stats);
  stats[col] = static_cast<S>(mean);
  stats[cols + col] = static_cast<S>(1 / sqrt(squares / n + l.eps));
  if (col == 0) stats[2 * cols] = static_cast<S>(n);
  if (!l.mean) return;
  S &old_mean = static_cast<S*>(l.mean)[col], &old_var = static_cast<S*>(l.var)[col];
  old_mean = static_cast<S>((1 - l.momentum) * old_mean + l.momentum * mean);
  old_var = static_cast<S>((1 - l.momentum) * old_var + l.momentum * (squares / (n - 1)));
}

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

// Which row and column the i-th kWide numbers are.
template <int kWide>
struct Spot {
  int64_t row, col;
  __device__ Spot(int64_t i, int64_t cols) {
    if constexpr (kWide > 1) {  // fewer than 2^31 numbers
      const auto each_row = static_cast<uint32_t>(cols / kWide), at = static_cast<uint32_t>(i);
      row = at / each_row, col = at % each_row * kWide;
    } else {
      row = i / cols, col = i - row * cols;
    }
  }
};

template <class T, int kWide>
struct ApplyAt {
  BatchNormInput a;
  T* y;
  __device__ void operator()(int64_t i) const {
    using S = Sum<T>;
    const int64_t col = Spot<kWide>(i, a.cols).col;
    const S* const stats = static_cast<const S*>(a.stats) + col;
    S v[kWide], weight[kWide], bias[kWide];
    load_wide<kWide>(static_cast<const T*>(a.x) + i * kWide, v);
    if (a.weight) load_wide<kWide>(static_cast<const T*>(a.weight) + col, weight);
    if (a.bias) load_wide<kWide>(static_cast<const T*>(a.bias) + col, bias);
#pragma unroll
    for (int j = 0; j < kWide; ++j) {
      v[j] = (v[j] - stats[j]) * stats[a.cols + j];
      if (a.weight) v[j] *= weight[j];
      if (a.bias) v[j] += bias[j];
    }
    store_wide<kWide>(y + i * kWide, v);
  }
};

// Sums of dy * xhat and of dy.
template <class T, int kWide>
struct BatchShares {
  BatchNormInput a;
  const T* dy;
  __device__ void operator()(int64_t row, int64_t col, Sum<T> (&share)[2][kWide]) const {
    const Sum<T>* const stats = static_cast<const Sum<T>*>(a.stats) + col;
    const int64_t at = row * a.cols + col;
    Sum<T> x[kWide];
    load_wide<kWide>(static_cast<const T*>(a.x) + at, x);
    load_wide<kWide>(dy + at, share[1]);
#pragma unroll
    for (int j = 0; j < kWide; ++j)
      share[0][j] = share[1][j] * ((x[j] - stats[j]) * stats[a.cols + j]);
  }
  __device__ void operator()(int64_t row, int64_t col, Sum<T> (&share)[2]) const {  // one column
    Sum<T> each[2][kWide];
    (*this)(row, col, each);
    share[0] = each[0][0], share[1] = each[1][0];
  }
};

template <class T>
struct GiveSums {
  const Sum<T>*along, *flat;
  T *dweight, *dbias;
  __device__ void operator()(int64_t col) const {
    if (dweight) dweight[col] = narrow<T>(along[col]);
    if (dbias) dbias[col] = narrow<T>(flat[col]);
  }
};

// dx = rstd weight (dy - (sum(dy) + xhat sum(dy xhat)) / n); a row that did not count, and every
// row outside training, has only dy.
template <class T, int kWide>
struct BackwardAt {
  BatchNormBackwardArgs b;
  const Sum<T>*along, *flat;
  __device__ void operator()(int64_t i) const {
    using S = Sum<T>;
    const BatchNormInput& a = b.rows;
    const auto [row, col] = Spot<kWide>(i, a.cols);
    const S *const means = static_cast<const S*>(a.stats) + col, *const rstd = means + a.cols;
    S v[kWide], x[kWide], weight[kWide];
    load_wide<kWide>(static_cast<const T*>(b.dy) + i * kWide, v);
    if (a.weight) load_wide<kWide>(static_cast<const T*>(a.weight) + col, weight);
    if (b.training && (!a.mask || a.mask[row])) {
      const S n = static_cast<const S*>(a.stats)[2 * a.cols];
      load_wide<kWide>(static_cast<const T*>(a.x) + i * kWide, x);
#pragma unroll
      for (int j = 0; j < kWide; ++j)
        v[j] -= ((x[j] - means[j]) * rstd[j] * along[col + j] + flat[col + j]) / n;
    }
#pragma unroll
    for (int j = 0; j < kWide; ++j) {
      v[j] *= rstd[j];
      if (a.weight) v[j] *= weight[j];
    }
    store_wide<kWide>(static_cast<T*>(b.dx) + i * kWide, v);
  }
};

}  // namespace

void run(OnCuda on, const BatchNormLearnArgs& a) {
  const int64_t rows = a.rows.rows, cols = a.rows.cols;
  for_width(a.rows, {a.rows.x}, [&]<class T, int kWide>() {
    const RowChunks c = busy_chunks(rows, cols, kWide);
    const Workspace memory(on, sizeof(Moments<Sum<T>>) * static_cast<size_t>(c.count() * cols + 1));
    auto* const parts = memory.as<Moments<Sum<T>>>();
    const int64_t across = ((cols + kWide - 1) / kWide + 31) / 32;
    start(on, {.blocks = across, .threads = 32 * kSumLines, .y = c.count()},
          moments_kernel<T, kWide>, a.rows, c, parts);
    start(on, {.blocks = (cols + 31) / 32, .threads = 32 * kJoinLines}, learn_kernel<T>, a, parts,
          c.count(), device_of(on).fault());
  });
}

void run(OnCuda on, const BatchNormRecallArgs& a) {
  for_float(a.rows.dtype, [&]<class T>() { each(on, a.rows.cols, RecallColumn<T>{a}); });
}

void run(OnCuda on, const BatchNormApplyArgs& a) {
  const BatchNormInput& r = a.rows;
  for_width(r, {r.x, r.weight, r.bias, a.y}, [&]<class T, int kWide>() {
    each(on, r.rows * r.cols / kWide, ApplyAt<T, kWide>{r, static_cast<T*>(a.y)});
  });
}

void run(OnCuda on, const BatchNormBackwardArgs& b) {
  const int64_t rows = b.rows.rows, cols = b.rows.cols;
  for_width(b.rows, {b.rows.x, b.rows.weight, b.dy, b.dx}, [&]<class T, int kWide>() {
    using S = Sum<T>;
    const Workspace totals(on, sizeof(S) * static_cast<size_t>(2 * cols + 1));
    S *const along = totals.as<S>(), *const flat = along + cols;
    if (b.partials) {
      const BatchShares<T, kWide> shares{b.rows, static_cast<const T*>(b.dy)};
      S* const sums[] = {along, flat};
      if constexpr (kWide > 1) {
        sum_packs_as<2, T>(on, rows, cols, shares, sums);
      } else {
        const RowChunks c{rows, cols, std::max<int64_t>(64, rows / 128 + 1)};
        const Workspace memory(on, sizeof(S) * static_cast<size_t>(2 * c.count() * cols + 1));
        sum_rows<2>(on, c, memory.as<S>(), shares);
        add_chunks<2>(on, c, memory.as<S>(), sums);
      }
      each(on, cols,
           GiveSums<T>{along, flat, static_cast<T*>(b.dweight), static_cast<T*>(b.dbias)});
    }
    if (b.dx) each(on, rows * cols / kWide, BackwardAt<T, kWide>{b, along, flat});
  });
}

}  // namespace jogak::cuda
