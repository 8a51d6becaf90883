#include "ops/kernels/columns.cuh"
#include "ops/norm_kernel.h"

namespace jogak::cuda {
namespace {

// A block a row: the residual is added, then the mean, then the squares around it.
template <class T>
__global__ void norm_kernel(NormArgs a) {
  using S = Sum<T>;
  const int64_t first = blockIdx.x * a.cols;
  const T* x = static_cast<const T*>(a.x) + first;
  T* const y = static_cast<T*>(a.y) + first;
  S sum = 0;
  if (a.residual) {
    const T* const residual = static_cast<const T*>(a.residual) + first;
    T* const both = static_cast<T*>(a.sum) + first;
    for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
      both[j] = narrow<T>(wide(x[j]) + wide(residual[j]));
      sum += wide(both[j]);
    }
    x = both;  // every thread goes on with what it wrote itself
  } else if (a.centered) {
    for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) sum += wide(x[j]);
  }
  const S n = static_cast<S>(a.cols), mean = a.centered ? sum_over_block(sum) / n : S{0};
  S squares = 0;
  for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
    const S v = wide(x[j]) - mean;
    squares += v * v;
  }
  const S rstd = S{1} / sqrt(sum_over_block(squares) / n + static_cast<S>(a.eps));
  const T *const weight = static_cast<const T*>(a.weight), *const bias =
                                                               static_cast<const T*>(a.bias);
  for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
    S v = (wide(x[j]) - mean) * rstd;
    if (weight) v *= wide(weight[j]);
    if (bias) v += wide(bias[j]);
    y[j] = narrow<T>(v);
  }
  if (!a.stats || threadIdx.x > 0) return;
  S* const stats = static_cast<S*>(a.stats);
  stats[blockIdx.x] = rstd;
  if (a.centered) stats[a.rows + blockIdx.x] = mean;
}

// dx = rstd (g - mean(g) - xhat mean(g xhat)) + dsum with g = dy weight; no mean(g) when the mean
// was not taken off.
template <class T>
__global__ void norm_backward_kernel(NormBackwardArgs a) {
  using S = Sum<T>;
  const int64_t first = blockIdx.x * a.cols;
  const T *const x = static_cast<const T*>(a.x) + first, *const dy =
                                                             static_cast<const T*>(a.dy) + first;
  const T* const weight = static_cast<const T*>(a.weight);
  const T* const dsum = a.dsum ? static_cast<const T*>(a.dsum) + first : nullptr;
  T* const dx = static_cast<T*>(a.dx) + first;
  const S* const stats = static_cast<const S*>(a.stats);
  const S rstd = stats[blockIdx.x], mean = a.centered ? stats[a.rows + blockIdx.x] : S{0};
  const S n = static_cast<S>(a.cols);
  const auto through = [&](int64_t j) {
    return weight ? rounded_product(wide(dy[j]), wide(weight[j])) : wide(dy[j]);
  };
  S flat = 0, slope = 0;
  for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
    const S g = through(j);
    flat += g;
    slope += g * ((wide(x[j]) - mean) * rstd);
  }
  flat = a.centered ? sum_over_block(flat) / n : S{0};
  slope = sum_over_block(slope) / n;
  for (int64_t j = threadIdx.x; j < a.cols; j += blockDim.x) {
    S v = rstd * (through(j) - flat - (wide(x[j]) - mean) * rstd * slope);
    if (dsum) v += wide(dsum[j]);
    dx[j] = narrow<T>(v);
  }
}

// kThreads threads a row, a warp or a block, which read it once and hold it: rows of at most
// kThreads kPacks packs.
template <class T, int kPacks, int kThreads = 32>
struct RowInHand {
  using S = Sum<T>;
  S at[kPacks][kPack<T>];
  int64_t packs;

  __device__ explicit RowInHand(int64_t cols) : packs(cols / kPack<T>) {}

  // f(i, first column) for each pack of this lane.
  template <class F>
  __device__ __forceinline__ void each_place(F f) const {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int64_t p = kThreads * i + static_cast<int>(threadIdx.x) % kThreads;
      if (p < packs) f(i, p * kPack<T>);
    }
  }
  // f(the pack, first column)
  template <class F>
  __device__ __forceinline__ void each(F f) {
    each_place([&](int i, int64_t col) { f(at[i], col); });
  }
  __device__ __forceinline__ void load(const T* from) {
    each([&](S(&v)[kPack<T>], int64_t col) { load_pack(from + col, v); });
  }
  template <class F>
  __device__ __forceinline__ S sum(F f) {
    S total = 0;
    each([&](S(&x)[kPack<T>], int64_t col) {
#pragma unroll
      for (int j = 0; j < kPack<T>; ++j) total += f(x[j], col + j);
    });
    if constexpr (kThreads == 32)
      return over_warp(total, Plus());
    else
      return sum_over_block(total);
  }
};

constexpr int kRowWarps = 4, kWideRow = 512;  // threads of a block that has one row
constexpr int64_t kFewRows = 64;

// kEarly: weight and bias are asked for with the row, not after it was summed. Where few rows come
// they wait for memory three times otherwise; where many do, registers count more.
template <class T, int kPacks, int kThreads, bool kEarly>
__global__ void norm_in_hand_kernel(NormArgs a) {
  using S = Sum<T>;
  const int64_t row =
      kThreads == 32 ? static_cast<int64_t>(blockIdx.x) * kRowWarps + threadIdx.x / 32 : blockIdx.x;
  if (row >= a.rows) return;
  const int64_t first = row * a.cols;
  const T *const x = static_cast<const T*>(a.x) + first,
                 *const weight = static_cast<const T*>(a.weight),
                 *const bias = static_cast<const T*>(a.bias);
  RowInHand<T, kPacks, kThreads> in(a.cols), factor(a.cols), more(a.cols);
  if (kEarly && weight) factor.load(weight);
  if (kEarly && bias) more.load(bias);
  in.each([&](S(&v)[kPack<T>], int64_t col) {
    load_pack(x + col, v);
    if (!a.residual) return;
    S more[kPack<T>];
    load_pack(static_cast<const T*>(a.residual) + first + col, more);
#pragma unroll
    for (int j = 0; j < kPack<T>; ++j) v[j] = wide(narrow<T>(v[j] + more[j]));
    store_pack(static_cast<T*>(a.sum) + first + col, v);
  });
  const S n = static_cast<S>(a.cols);
  const S mean = a.centered ? in.sum([](S v, int64_t) { return v; }) / n : S{0};
  const S squares = in.sum([&](S v, int64_t) { return (v - mean) * (v - mean); });
  const S rstd = S{1} / sqrt(squares / n + static_cast<S>(a.eps));
  in.each_place([&](int i, int64_t col) {
    if (!kEarly && weight) load_pack(weight + col, factor.at[i]);
    if (!kEarly && bias) load_pack(bias + col, more.at[i]);
    S v[kPack<T>];
#pragma unroll
    for (int j = 0; j < kPack<T>; ++j) {
      v[j] = (in.at[i][j] - mean) * rstd;
      if (weight) v[j] *= factor.at[i][j];
      if (bias) v[j] += more.at[i][j];
    }
    store_pack(static_cast<T*>(a.y) + first + col, v);
  });
  if (!a.stats || threadIdx.x % kThreads > 0) return;
  S* const stats = static_cast<S*>(a.stats);
  stats[row] = rstd;
  if (a.centered) stats[a.rows + row] = mean;
}

template <class T, int kPacks>
__global__ void norm_backward_in_hand_kernel(NormBackwardArgs a) {
  using S = Sum<T>;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowWarps + threadIdx.x / 32;
  if (row >= a.rows) return;
  const int64_t first = row * a.cols;
  const S* const stats = static_cast<const S*>(a.stats);
  const S rstd = stats[row], mean = a.centered ? stats[a.rows + row] : S{0};
  const S n = static_cast<S>(a.cols);
  RowInHand<T, kPacks> in(a.cols), g(a.cols);  // x made even, and dy weight
  in.each([&](S(&v)[kPack<T>], int64_t col) {
    load_pack(static_cast<const T*>(a.x) + first + col, v);
#pragma unroll
    for (int j = 0; j < kPack<T>; ++j) v[j] = (v[j] - mean) * rstd;
  });
  S flat = 0, slope = 0;
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    const int64_t col = (32 * i + static_cast<int64_t>(threadIdx.x) % 32) * kPack<T>;
    if (col >= a.cols) continue;
    load_pack(static_cast<const T*>(a.dy) + first + col, g.at[i]);
    if (a.weight) {
      S factor[kPack<T>];
      load_pack(static_cast<const T*>(a.weight) + col, factor);
#pragma unroll
      for (int j = 0; j < kPack<T>; ++j) g.at[i][j] = rounded_product(g.at[i][j], factor[j]);
    }
#pragma unroll
    for (int j = 0; j < kPack<T>; ++j) flat += g.at[i][j], slope += g.at[i][j] * in.at[i][j];
  }
  flat = a.centered ? over_warp(flat, Plus()) / n : S{0};
  slope = over_warp(slope, Plus()) / n;
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    const int64_t col = (32 * i + static_cast<int64_t>(threadIdx.x) % 32) * kPack<T>;
    if (col >= a.cols) continue;
    S more[kPack<T>] = {};
    if (a.dsum) load_pack(static_cast<const T*>(a.dsum) + first + col, more);
#pragma unroll
    for (int j = 0; j < kPack<T>; ++j) more[j] += rstd * (g.at[i][j] - flat - in.at[i][j] * slope);
    store_pack(static_cast<T*>(a.dx) + first + col, more);
  }
}

// body.template operator()<kPacks>() where a warp can hold a row of these. False: it cannot.
template <class T, class Body>
bool in_hand(int64_t rows, int64_t cols, std::initializer_list<const void*> arrays, Body body) {
  if (sizeof(T) == 8 || rows == 0 || cols == 0 || !lies_in_packs<T>(cols, arrays)) return false;
  const int64_t packs = (cols / kPack<T> + 31) / 32;
  if (packs > 8) return false;
  if (packs <= 1)
    body.template operator()<1>();
  else if (packs <= 3)
    body.template operator()<3>();
  else
    body.template operator()<8>();
  return true;
}

// Shares of packs of a row in dweight (dy * xhat) and dbias (dy).
template <class T>
struct NormPackShares {
  NormBackwardArgs a;
  __device__ void operator()(int64_t row, int64_t col, Sum<T> (&share)[2][kPack<T>]) const {
    using S = Sum<T>;
    const S* const stats = static_cast<const S*>(a.stats);
    const S rstd = stats[row], mean = a.centered ? stats[a.rows + row] : S{0};
    load_pack(static_cast<const T*>(a.x) + row * a.cols + col, share[0]);
    load_pack(static_cast<const T*>(a.dy) + row * a.cols + col, share[1]);
#pragma unroll
    for (int j = 0; j < kPack<T>; ++j) share[0][j] = share[1][j] * ((share[0][j] - mean) * rstd);
  }
};

// Shares of a row in dweight (dy * xhat) and dbias (dy).
template <class T>
struct NormShares {
  NormBackwardArgs a;
  __device__ void operator()(int64_t row, int64_t col, Sum<T> (&share)[2]) const {
    using S = Sum<T>;
    const S* const stats = static_cast<const S*>(a.stats);
    const S dy = wide(static_cast<const T*>(a.dy)[row * a.cols + col]);
    const S mean = a.centered ? stats[a.rows + row] : S{0};
    const S x = wide(static_cast<const T*>(a.x)[row * a.cols + col]);
    share[0] = dy * ((x - mean) * stats[row]);
    share[1] = dy;
  }
};

}  // namespace

void run(OnCuda on, const NormArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    const std::initializer_list<const void*> arrays = {a.x,      a.residual, a.sum,
                                                       a.weight, a.bias,     a.y};
    const bool few = a.rows <= kFewRows;
    if (in_hand<T>(a.rows, a.cols, arrays, [&]<int kPacks>() {
          start(on, {.blocks = (a.rows + kRowWarps - 1) / kRowWarps, .threads = 32 * kRowWarps},
                few ? norm_in_hand_kernel<T, kPacks, 32, true>
                    : norm_in_hand_kernel<T, kPacks, 32, false>,
                a);
        }))
      return;
    if (sizeof(T) < 8 && lies_in_packs<T>(a.cols, arrays) && a.cols <= 2 * kWideRow * kPack<T>)
      return start(on, {.blocks = a.rows, .threads = kWideRow},
                   few ? norm_in_hand_kernel<T, 2, kWideRow, true>
                       : norm_in_hand_kernel<T, 2, kWideRow, false>,
                   a);
    start(on, {.blocks = a.rows, .threads = threads_for_row(a.cols)}, norm_kernel<T>, a);
  });
}

void run(OnCuda on, const NormBackwardArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    const auto held = [&]<int kPacks>() {
      start(on, {.blocks = (a.rows + kRowWarps - 1) / kRowWarps, .threads = 32 * kRowWarps},
            norm_backward_in_hand_kernel<T, kPacks>, a);
    };
    if (a.dx && !in_hand<T>(a.rows, a.cols, {a.x, a.dy, a.weight, a.dsum, a.dx}, held))
      start(on, {.blocks = a.rows, .threads = threads_for_row(a.cols)}, norm_backward_kernel<T>, a);
    if (!a.dweight && !a.dbias) return;
    T* const out[] = {static_cast<T*>(a.dweight), static_cast<T*>(a.dbias)};
    if (a.rows > 0 && lies_in_packs<T>(a.cols, {a.x, a.dy}))
      return sum_packs<2>(on, a.rows, a.cols, NormPackShares<T>{a}, out);
    const RowChunks chunks{a.rows, a.cols, norm_chunk_rows(a.rows, a.cols)};
    auto* const partials = static_cast<Sum<T>*>(a.partials);
    sum_rows<2>(on, chunks, partials, NormShares<T>{a});
    add_chunks<2>(on, chunks, partials, out);
  });
}

}  // namespace jogak::cuda
