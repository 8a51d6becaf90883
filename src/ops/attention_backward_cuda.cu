#include "ops/kernels/attention_cudnn.h"
#include "ops/kernels/attention_fast.cuh"

namespace jogak::cuda {
namespace {

// A tile of queries against a tile of keys, in shared memory.
template <class S>
struct BackTile {
  S *q, *d_out;          // [kQueryRows, D], [kQueryRows, E]
  S *k, *v;              // [kKeyRows, D + 1], [kKeyRows, E + 1]
  S *weights, *slopes;   // [kQueryRows, kKeyRows]: dropped; d loss / d score
  S *dots, *lse, *rest;  // [kQueryRows] each; what follows is the kernel's own
  int D, E;

  __device__ BackTile(const AttentionBackwardArgs& g)
      : D(static_cast<int>(g.width)), E(static_cast<int>(g.value_width)) {
    q = dynamic_shared<S>();
    d_out = q + kQueryRows * D;
    k = d_out + kQueryRows * E;
    v = k + kKeyRows * (D + 1);
    weights = v + kKeyRows * (E + 1);
    slopes = weights + kQueryRows * kKeyRows;
    dots = slopes + kQueryRows * kKeyRows;
    lse = dots + kQueryRows;
    rest = lse + kQueryRows;
  }

  template <class T>
  __device__ void load_queries(const AttentionBackwardArgs& g, int64_t b, int64_t h,
                               int64_t first) {
    load_rows<T>(g.q, b, h, first, g.queries, kQueryRows, D, D, q);
    load_rows<T>(g.d_out, b, h, first, g.queries, kQueryRows, E, E, d_out);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int r = static_cast<int>(threadIdx.x) / 32; r < kQueryRows; r += kAttentionThreads / 32) {
      S sum = 0;  // of weight * slope over a row = <d_out, out>
      if (first + r < g.queries) {
        const T *const o = at<T>(g.out, b, first + r, h), *const d =
                                                              at<T>(g.d_out, b, first + r, h);
        for (int c = lane; c < E; c += 32) sum += wide(o[c]) * wide(d[c]);
      }
      sum = over_warp(sum, Plus());
      if (lane > 0) continue;
      dots[r] = sum;
      lse[r] = first + r < g.queries
                   ? static_cast<const S*>(g.lse)[(b * g.heads + h) * g.queries + first + r]
                   : lowest<S>();
    }
  }

  template <class T>
  __device__ void load_keys(const AttentionBackwardArgs& g, int64_t b, int64_t kv, int64_t from) {
    load_rows<T>(g.k, b, kv, from, g.keys, kKeyRows, D, D + 1, k);
    load_rows<T>(g.v, b, kv, from, g.keys, kKeyRows, E, E + 1, v);
  }

  // weights <- softmax again; slopes <- d loss / d score.
  __device__ void weigh(const AttentionBackwardArgs& g, const DropRule& rule, int64_t b, int64_t h,
                        int64_t first, int64_t from) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int r = static_cast<int>(threadIdx.x) / 32; r < kQueryRows; r += kAttentionThreads / 32) {
      const int64_t query = first + r, key = from + lane;
      const S score = masked(static_cast<const AttentionArgs&>(g), b, h, query, key,
                             dot(q + r * D, k + lane * (D + 1), D));
      S weight = lse[r] == lowest<S>() || score == lowest<S>() ? S{0} : exp(score - lse[r]);
      S slope = dot(d_out + r * E, v + lane * (E + 1), E);
      const bool inside = query < g.queries && key < g.keys;
      const S kept = g.dropout > 0 && inside ? dropped<S>(g, rule, b, h, query, key) : S{1};
      slope = (slope * kept - dots[r]) * weight * static_cast<S>(g.scale) *
              cap_slope(static_cast<const AttentionArgs&>(g), score);
      slopes[r * kKeyRows + lane] = slope;
      weights[r * kKeyRows + lane] = weight * kept;
    }
  }
};

template <class T>
__global__ void dq_kernel(AttentionBackwardArgs g, DropOnDevice drop) {
  const DropRule rule = drop.now();
  using S = Sum<T>;
  BackTile<S> tile(g);
  S* const dq = tile.rest;  // [kQueryRows, D]
  const int64_t b = blockIdx.z, h = blockIdx.y, kv = h / (g.heads / g.kv_heads);
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kQueryRows;
  const int thread = static_cast<int>(threadIdx.x), D = tile.D;
  tile.template load_queries<T>(g, b, h, first);
  for (int i = thread; i < kQueryRows * D; i += kAttentionThreads) dq[i] = 0;
  const int64_t reach = reach_of(g, first + kQueryRows - 1);
  for (int64_t from = begin_of(g, first) / kKeyRows * kKeyRows; from < reach; from += kKeyRows) {
    __syncthreads();
    tile.template load_keys<T>(g, b, kv, from);
    __syncthreads();
    tile.weigh(g, rule, b, h, first, from);
    __syncthreads();
    for (int i = thread; i < kQueryRows * D; i += kAttentionThreads) {
      const int r = i / D, c = i - r * D;
      S sum = dq[i];
      for (int j = 0; j < kKeyRows; ++j)
        sum += tile.slopes[r * kKeyRows + j] * tile.k[j * (D + 1) + c];
      dq[i] = sum;
    }
  }
  __syncthreads();
  for (int i = thread; i < kQueryRows * D; i += kAttentionThreads) {
    const int r = i / D, c = i - r * D;
    if (first + r < g.queries) at<T>(g.dq, b, first + r, h)[c] = narrow<T>(dq[i]);
  }
}

// The gradient of a bias by distance: a block a head of a batch, which adds the diagonals of tile
// after tile to its own sums.
template <class T>
__global__ void distances_kernel(AttentionBackwardArgs g, DropOnDevice drop) {
  using S = Sum<T>;
  const DropRule rule = drop.now();
  BackTile<S> tile(g);
  const int64_t b = blockIdx.y, h = blockIdx.x, kv = h / (g.heads / g.kv_heads);
  S* const sums = static_cast<S*>(g.d_distances) + (b * g.heads + h) * g.distances.columns;
  const int t = static_cast<int>(threadIdx.x) - (kQueryRows - 1);  // key less query, in the tile
  for (int64_t first = 0; first < g.queries; first += kQueryRows) {
    const int64_t reach = reach_of(g, first + kQueryRows - 1);
    __syncthreads();
    tile.template load_queries<T>(g, b, h, first);
    for (int64_t from = begin_of(g, first) / kKeyRows * kKeyRows; from < reach; from += kKeyRows) {
      __syncthreads();
      tile.template load_keys<T>(g, b, kv, from);
      __syncthreads();
      tile.weigh(g, rule, b, h, first, from);
      __syncthreads();
      const int64_t column = g.distances.zero + from + t - (first + g.keys - g.queries);
      if (t >= kKeyRows || column < 0 || column >= g.distances.columns) continue;
      S sum = 0;
      for (int r = 0; r < kQueryRows; ++r)
        if (r + t >= 0 && r + t < kKeyRows) sum += tile.slopes[r * kKeyRows + r + t];
      sums[column] += sum / static_cast<S>(g.scale);  // of scores before they are scaled
    }
  }
}

// A block takes kKeyRows keys of a kv head, over all its query heads and their queries in order.
template <class T>
__global__ void dkv_kernel(AttentionBackwardArgs g, DropOnDevice drop) {
  const DropRule rule = drop.now();
  using S = Sum<T>;
  BackTile<S> tile(g);
  const int thread = static_cast<int>(threadIdx.x), D = tile.D, E = tile.E;
  S *const dk = tile.rest, *const dv = dk + kKeyRows * D;  // [kKeyRows, D], [kKeyRows, E]
  const int64_t b = blockIdx.z, kv = blockIdx.y, group = g.heads / g.kv_heads;
  const int64_t from = static_cast<int64_t>(blockIdx.x) * kKeyRows;
  tile.template load_keys<T>(g, b, kv, from);
  for (int i = thread; i < kKeyRows * (D + E); i += kAttentionThreads) dk[i] = 0;
  for (int64_t h = kv * group; h < (kv + 1) * group; ++h)
    for (int64_t first = 0; first < g.queries; first += kQueryRows) {
      if (reach_of(g, first + kQueryRows - 1) <= from || begin_of(g, first) >= from + kKeyRows)
        continue;
      __syncthreads();
      tile.template load_queries<T>(g, b, h, first);
      __syncthreads();
      tile.weigh(g, rule, b, h, first, from);
      __syncthreads();
      for (int i = thread; i < kKeyRows * D; i += kAttentionThreads) {  // dK += dS^T Q
        const int j = i / D, c = i - j * D;
        S sum = dk[i];
        for (int r = 0; r < kQueryRows; ++r)
          sum += tile.slopes[r * kKeyRows + j] * tile.q[r * D + c];
        dk[i] = sum;
      }
      for (int i = thread; i < kKeyRows * E; i += kAttentionThreads) {  // dV += W^T dO
        const int j = i / E, c = i - j * E;
        S sum = dv[i];
        for (int r = 0; r < kQueryRows; ++r)
          sum += tile.weights[r * kKeyRows + j] * tile.d_out[r * E + c];
        dv[i] = sum;
      }
    }
  __syncthreads();
  for (int i = thread; i < kKeyRows * D; i += kAttentionThreads)
    if (from + i / D < g.keys) at<T>(g.dk, b, from + i / D, kv)[i % D] = narrow<T>(dk[i]);
  for (int i = thread; i < kKeyRows * E; i += kAttentionThreads)
    if (from + i / E < g.keys) at<T>(g.dv, b, from + i / E, kv)[i % E] = narrow<T>(dv[i]);
}

size_t tile_numbers(const AttentionBackwardArgs& g) {
  const size_t D = static_cast<size_t>(g.width), E = static_cast<size_t>(g.value_width);
  return kQueryRows * (D + E + 2 * kKeyRows + 2) + kKeyRows * (D + E + 2);
}

void start_distances(OnCuda on, const AttentionBackwardArgs& g) {
  const DropOnDevice rule(on, drop_rule(g.dropout, g.seed, g.stream));
  for_float(g.dtype, [&]<class T>() {
    const size_t numbers = tile_numbers(g);
    check_shared<Sum<T>>(on, numbers);
    start(on,
          {.blocks = g.heads,
           .threads = kAttentionThreads,
           .shared = numbers * sizeof(Sum<T>),
           .y = g.batches},
          distances_kernel<T>, g, rule);
  });
}

}  // namespace

void run(OnCuda on, const AttentionBackwardArgs& g) {
  if constexpr (kWithCudnn)
    if (cudnn_attention_backward(on, g)) return;
  if (g.d_distances) start_distances(on, g);
  if (takes_fast(g) && lies_fast({g.d_out, g.dq, g.dk, g.dv}))
    return fast_attention_backward(on, g);
  const DropOnDevice rule(on, drop_rule(g.dropout, g.seed, g.stream));
  for_float(g.dtype, [&]<class T>() {
    using S = Sum<T>;
    const size_t D = static_cast<size_t>(g.width), E = static_cast<size_t>(g.value_width);
    const size_t tile = tile_numbers(g);
    const size_t for_q = tile + kQueryRows * D, for_kv = tile + kKeyRows * (D + E);
    check_shared<S>(on, for_kv);
    start(on,
          {.blocks = (g.queries + kQueryRows - 1) / kQueryRows,
           .threads = kAttentionThreads,
           .shared = for_q * sizeof(S),
           .y = g.heads,
           .z = g.batches},
          dq_kernel<T>, g, rule);
    start(on,
          {.blocks = (g.keys + kKeyRows - 1) / kKeyRows,
           .threads = kAttentionThreads,
           .shared = for_kv * sizeof(S),
           .y = g.kv_heads,
           .z = g.batches},
          dkv_kernel<T>, g, rule);
  });
}

}  // namespace jogak::cuda
