// What forward and backward attention share on the GPU: tiles in shared memory, one query a warp,
// one key a lane. Written for every width, type, mask and bias rather than for speed.
#pragma once

#include "ops/attention_kernel.h"
#include "ops/kernels/philox.cuh"
#include "tensor/cuda.cuh"

namespace jogak::cuda {

inline constexpr int kQueryRows = 16, kKeyRows = 32, kAttentionThreads = 128;

template <class T>
__device__ __forceinline__ T* at(const HeadsView& x, int64_t b, int64_t t, int64_t h) {
  return static_cast<T*>(x.data) + b * x.batch + t * x.time + h * x.head;
}

// Rows first .. first + rows - 1 of a head, widened, `pitch` apart; zeros behind `count` rows.
template <class T>
__device__ void load_rows(const HeadsView& x, int64_t b, int64_t h, int64_t first, int64_t count,
                          int rows, int width, int pitch, Sum<T>* to) {
  for (int i = static_cast<int>(threadIdx.x); i < rows * width; i += kAttentionThreads) {
    const int r = i / width, c = i - r * width;
    to[r * pitch + c] = first + r < count ? wide(at<T>(x, b, first + r, h)[c]) : Sum<T>{0};
  }
}

template <class S>
__device__ __forceinline__ S dot(const S* a, const S* b, int n) {
  S sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Whether a key lies where a query looks.
__device__ __forceinline__ bool sees(const AttentionArgs& g, int64_t query, int64_t key) {
  const int64_t back = query + g.keys - g.queries - key;
  return !(g.causal && back < 0) && (g.window == 0 || (back < g.window && -back < g.window));
}

// What a bias adds to a score.
template <class S>
__device__ __forceinline__ S added(const AttentionArgs& g, int64_t b, int64_t h, int64_t query,
                                   int64_t key) {
  if (g.bias.data)
    return static_cast<const S*>(g.bias.data)[b * g.bias.batch + h * g.bias.head + key];
  const DistanceBias& d = g.distances;
  if (!d.data) return 0;
  const int64_t place = query + g.keys - g.queries;
  return static_cast<const S*>(d.data)[h * d.head + d.zero + key - place];
}

// The score of a query and a key, -inf where the key is not seen.
template <class S>
__device__ __forceinline__ S masked(const AttentionArgs& g, int64_t b, int64_t h, int64_t query,
                                    int64_t key, S product) {
  if (query >= g.queries || key >= g.keys || !sees(g, query, key)) return lowest<S>();
  if (g.key_mask && !g.key_mask[b * g.keys + key]) return lowest<S>();
  const S scaled = product * static_cast<S>(g.scale), cap = static_cast<S>(g.cap);
  if (g.cap > 0) return cap * tanh(scaled / cap);
  return scaled + added<S>(g, b, h, query, key);
}

// The slope of a cap at what it made of a score.
template <class S>
__device__ __forceinline__ S cap_slope(const AttentionArgs& g, S score) {
  if (g.cap == 0 || score == lowest<S>()) return S{1};
  const S share = score / static_cast<S>(g.cap);
  return S{1} - share * share;
}

// What dropout multiplies a weight by: chosen by its place among all weights, rows filled up to
// whole tiles of 64 keys, as on the CPU.
template <class S>
__device__ __forceinline__ S dropped(const AttentionArgs& g, const DropRule& rule, int64_t b,
                                     int64_t h, int64_t query, int64_t key) {
  const int64_t row = (b * g.heads + h) * g.queries + query;
  return drop_factor<S>(rule, static_cast<uint64_t>(row * ((g.keys + 63) / 64 * 64) + key));
}

// The end of the keys that any of the queries up to `last` sees.
__device__ __forceinline__ int64_t reach_of(const AttentionArgs& g, int64_t last) {
  if (!g.causal && g.window == 0) return g.keys;
  const int64_t reach = last + g.keys - g.queries + (g.causal ? 1 : g.window);
  return reach < g.keys ? reach : g.keys;
}

// The first key that any of the queries from `first` on sees.
__device__ __forceinline__ int64_t begin_of(const AttentionArgs& g, int64_t first) {
  const int64_t begin = g.window > 0 ? first + g.keys - g.queries - g.window + 1 : 0;
  return begin > 0 ? begin : 0;
}

template <class S>
void check_shared(OnCuda on, size_t numbers) {
  const size_t most = device_of(on).shared_memory();
  ensure<ShapeError>(numbers * sizeof(S) <= most, "attention: heads this wide take ",
                     numbers * sizeof(S), " bytes of the GPU's shared memory, wanted at most ",
                     most);
}

}  // namespace jogak::cuda
