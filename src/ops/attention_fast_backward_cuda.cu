// The gradients of attention in bf16 and f16 by tensor cores. Keys and values are one kernel,
// queries another: each number has one owner, who adds in a fixed order.
#include "ops/kernels/attention_fast.cuh"

namespace jogak::cuda {
namespace {

// Rows of the side that is walked over: of narrow heads most of a short text at once.
template <int kWidth>
constexpr int kOtherRows = kWidth == 16 ? 48 : 32;

// Lanes that take a row of `kWidth` numbers, the next lanes the next row.
template <int kWidth>
constexpr int kDotLanes = kWidth / 8 < 32 ? kWidth / 8 : 32;

// <d_out, out> of every row: what the weights' gradients of a row sum up to.
template <class T, int kWidth>
__global__ void dots_kernel(AttentionBackwardArgs g, float* dots) {
  constexpr int kLanes = kDotLanes<kWidth>;
  const int piece = static_cast<int>(threadIdx.x) % kLanes * 8;  // of 16 bytes
  const int64_t mine =
      static_cast<int64_t>(blockIdx.x) * (kFastThreads / kLanes) + threadIdx.x / kLanes;
  const int64_t rows = g.batches * g.heads * g.queries, row = mine < rows ? mine : rows - 1;
  const int64_t h = row % g.heads, query = row / g.heads % g.queries,  // as they lie
      b = row / g.heads / g.queries;
  float sum = 0;
  if (piece < g.width) {
    using P = Pack<T, 8>;
    const P o = *reinterpret_cast<const P*>(at<T>(g.out, b, query, h) + piece);
    const P d = *reinterpret_cast<const P*>(at<T>(g.d_out, b, query, h) + piece);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += wide(o.at[i]) * wide(d.at[i]);
  }
#pragma unroll
  for (int apart = kLanes / 2; apart > 0; apart /= 2)
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, apart);
  if (piece == 0 && mine < rows) dots[(b * g.heads + h) * g.queries + query] = sum;
}

// One number a query, 0 behind the last.
struct RowNumbers {
  const float* values;
  int64_t count;
  __device__ __forceinline__ float of(int64_t row) const { return row < count ? values[row] : 0; }
};

// The queries that see any of the keys first .. first + count - 1.
struct QueryRange {
  int64_t begin = 0, end;
  __device__ QueryRange(const AttentionArgs& g, int64_t first, int64_t count) : end(g.queries) {
    const int64_t same = first - (g.keys - g.queries);  // the query at the first key
    if (g.causal)
      begin = same;
    else if (g.window > 0)
      begin = same - g.window + 1;
    if (begin < 0) begin = 0;
    if (g.window > 0 && same + count - 1 + g.window < end) end = same + count - 1 + g.window;
  }
};

// A block has 128 keys of a kv head, or 64; queries of its heads pass by, a tile at a time.
// Everything is transposed: a row is a key.
template <class T, int kWidth, int kM, Extra kExtra>
__global__ void __launch_bounds__(kFastThreads, kAtOnce<kWidth>)
    fast_dkv_kernel(AttentionBackwardArgs g, DropOnDevice drop, const float* dots) {
  const DropRule rule = drop.now();
  constexpr int kRows = 16 * kM * kFastWarps, kOther = kOtherRows<kWidth>;
  T* const memory = dynamic_shared<T>();
  const Tile<T, kWidth> k{memory}, v{memory + kRows * kWidth};
  const auto tile = [&](int stage, int which) {
    return Tile<T, kWidth>{memory + (2 * kRows + (2 * stage + which) * kOther) * kWidth};
  };
  const int64_t b = blockIdx.z, kv = blockIdx.y, group = g.heads / g.kv_heads;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kRows;
  const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16 * kM;
  k.fetch(at<T>(g.k, b, 0, kv), g.k.time, first, g.keys, kRows, g.width);
  v.fetch(at<T>(g.v, b, 0, kv), g.v.time, first, g.keys, kRows, g.width);
  fetched();
  float dk[kM][kWidth / 8][4] = {}, dv[kM][kWidth / 8][4] = {};
  const QueryRange range(g, first, kRows);
  const int64_t begin = range.begin / kOther * kOther;
  const int64_t tiles = begin < range.end ? (range.end - begin + kOther - 1) / kOther : 0;
  const auto fetch_queries = [&](int64_t i) {  // tile i of all heads
    const int64_t h = kv * group + i / tiles, from = begin + i % tiles * kOther;
    tile(static_cast<int>(i % 2), 0)
        .fetch(at<T>(g.q, b, 0, h), g.q.time, from, g.queries, kOther, g.width);
    tile(static_cast<int>(i % 2), 1)
        .fetch(at<T>(g.d_out, b, 0, h), g.d_out.time, from, g.queries, kOther, g.width);
  };
  if (tiles > 0) fetch_queries(0);
  fetched();
  for (int64_t i = 0; i < group * tiles; ++i) {
    if (i + 1 < group * tiles) fetch_queries(i + 1);
    fetched();
    await_fetches<1>();
    __syncthreads();
    const int64_t h = kv * group + i / tiles, from = begin + i % tiles * kOther;
    // Otherwise this warp has no keys, or none of these queries sees one of them.
    if (first + warp_row < g.keys &&
        (!g.causal || first + warp_row <= from + kOther - 1 + g.keys - g.queries)) {
      const Tile<T, kWidth> q = tile(static_cast<int>(i % 2), 0),
                            d_out = tile(static_cast<int>(i % 2), 1);
      const int64_t row_of_all = (b * g.heads + h) * g.queries;
      const RowNumbers lse{static_cast<const float*>(g.lse) + row_of_all, g.queries};
      const RowNumbers dot{dots + row_of_all, g.queries};
      const Place<kExtra> place(g, rule, b, h);
      float sums[kOther / 8][2], row_dots[kOther / 8][2];  // of this lane's queries
#pragma unroll
      for (int n = 0; n < kOther / 8; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int64_t query = from + 8 * n + lane_column() + e;
          const float sum = lse.of(query);
          const bool none = query >= g.queries || sum == lowest<float>();
          sums[n][e] = none ? INFINITY : sum * kLog2e;  // no weight
          row_dots[n][e] = dot.of(query);
        }
      float weights[kM][kOther / 8][4] = {}, slopes[kM][kOther / 8][4] = {};
      score_tile<T, kWidth, kM, kOther>(k, warp_row, q, 0, weights);
      score_tile<T, kWidth, kM, kOther>(v, warp_row, d_out, 0, slopes);
      const int64_t last_key = first + warp_row + 16 * kM - 1;
      const bool edge =
          !place.kPlain || last_key >= g.keys || (g.causal && last_key > from + g.keys - g.queries);
#pragma unroll
      for (int m = 0; m < kM; ++m)
#pragma unroll
        for (int n = 0; n < kOther / 8; ++n) {
          float kept[4] = {1, 1, 1, 1};
          if (kExtra != Extra::none && g.dropout > 0)
            place.kept_by_key(first + warp_row + 16 * m, from + 8 * n, kept);
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int64_t key = first + warp_row + 16 * m + lane_row() + e / 2 * 8;
            const int64_t query = from + 8 * n + lane_column() + e % 2;
            const float score =
                edge ? place.masked(query, key, weights[m][n][e]) : weights[m][n][e] * place.scale;
            const float weight = power_of_two(score - sums[n][e % 2]);
            slopes[m][n][e] =
                weight * (slopes[m][n][e] * kept[e] - row_dots[n][e % 2]) * place.slope(score);
            weights[m][n][e] = weight * kept[e];
          }
        }
      add_rows<T, kWidth, kM, kOther>(weights, d_out, 0, dv);  // dV += W^T dO
      add_rows<T, kWidth, kM, kOther>(slopes, q, 0, dk);       // dK += dS^T Q
    }
    __syncthreads();  // before this stage is filled again
  }
  const float scale = static_cast<float>(g.scale);
  for (int m = 0; m < kM; ++m) {
    store_rows<T>(g.dk, b, kv, first + warp_row + 16 * m, g.keys, g.width, {scale, scale}, dk[m]);
    store_rows<T>(g.dv, b, kv, first + warp_row + 16 * m, g.keys, g.width, {1.0f, 1.0f}, dv[m]);
  }
}

// A block has 128 queries of a head, or 64; keys pass by, a tile at a time.
template <class T, int kWidth, int kM, Extra kExtra>
__global__ void __launch_bounds__(kFastThreads, kAtOnce<kWidth>)
    fast_dq_kernel(AttentionBackwardArgs g, DropOnDevice drop, const float* dots) {
  const DropRule rule = drop.now();
  constexpr int kRows = 16 * kM * kFastWarps, kOther = kOtherRows<kWidth>;
  T* const memory = dynamic_shared<T>();
  const Tile<T, kWidth> q{memory}, d_out{memory + kRows * kWidth};
  const auto tile = [&](int stage, int which) {
    return Tile<T, kWidth>{memory + (2 * kRows + (2 * stage + which) * kOther) * kWidth};
  };
  const int64_t b = blockIdx.z, h = blockIdx.y, kv = h / (g.heads / g.kv_heads);
  const int64_t first = static_cast<int64_t>(gridDim.x - 1 - blockIdx.x) * kRows;
  const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16 * kM;
  const Place<kExtra> place(g, rule, b, h);
  const int64_t reach = reach_of(g, first + kRows - 1);
  const int64_t warp_reach =
      first + warp_row < g.queries ? reach_of(g, first + warp_row + 16 * kM - 1) : 0;
  const int64_t row_of_all = (b * g.heads + h) * g.queries;
  const RowNumbers lse{static_cast<const float*>(g.lse) + row_of_all, g.queries};
  const RowNumbers dot{dots + row_of_all, g.queries};
  const auto fetch_keys = [&](int stage, int64_t from) {
    tile(stage, 0).fetch(at<T>(g.k, b, 0, kv), g.k.time, from, g.keys, kOther, g.width);
    tile(stage, 1).fetch(at<T>(g.v, b, 0, kv), g.v.time, from, g.keys, kOther, g.width);
  };
  q.fetch(at<T>(g.q, b, 0, h), g.q.time, first, g.queries, kRows, g.width);
  d_out.fetch(at<T>(g.d_out, b, 0, h), g.d_out.time, first, g.queries, kRows, g.width);
  const int64_t begin = place.begin(first, kOther);
  fetch_keys(0, begin);
  fetched();
  float dq[kM][kWidth / 8][4] = {};
  float sums[kM][2], row_dots[kM][2];
  for (int m = 0; m < kM; ++m)
    for (int half = 0; half < 2; ++half) {
      const int64_t row = first + warp_row + 16 * m + lane_row() + 8 * half;
      const bool none = row >= g.queries || lse.of(row) == lowest<float>();
      sums[m][half] = none ? INFINITY : lse.of(row) * kLog2e;  // no weight
      row_dots[m][half] = dot.of(row);
    }
  int stage = 0;
  for (int64_t from = begin; from < reach; from += kOther, stage ^= 1) {
    if (from + kOther < reach) fetch_keys(stage ^ 1, from + kOther);
    fetched();
    await_fetches<1>();
    __syncthreads();
    if (from < warp_reach) {
      float weights[kM][kOther / 8][4] = {}, slopes[kM][kOther / 8][4] = {};
      score_tile<T, kWidth, kM, kOther>(q, warp_row, tile(stage, 0), 0, weights);
      score_tile<T, kWidth, kM, kOther>(d_out, warp_row, tile(stage, 1), 0, slopes);
#pragma unroll
      for (int m = 0; m < kM; ++m) {
        const int64_t row = first + warp_row + 16 * m;
        place.mask(row, from, weights[m]);
#pragma unroll
        for (int n = 0; n < kOther / 8; ++n) {
          float kept[4] = {1, 1, 1, 1};
          if (kExtra != Extra::none && g.dropout > 0) place.kept(row, from + 8 * n, kept);
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const float score = weights[m][n][e], weight = power_of_two(score - sums[m][e / 2]);
            slopes[m][n][e] =
                weight * (slopes[m][n][e] * kept[e] - row_dots[m][e / 2]) * place.slope(score);
          }
        }
      }
      add_rows<T, kWidth, kM, kOther>(slopes, tile(stage, 0), 0, dq);  // dQ += dS K
    }
    __syncthreads();
  }
  const float scale = static_cast<float>(g.scale);
  for (int m = 0; m < kM; ++m)
    store_rows<T>(g.dq, b, h, first + warp_row + 16 * m, g.queries, g.width, {scale, scale}, dq[m]);
}

}  // namespace

void fast_attention_backward(OnCuda on, const AttentionBackwardArgs& g) {
  const DropOnDevice rule(on, drop_rule(g.dropout, g.seed, g.stream));
  const int64_t rows = g.batches * g.heads * g.queries;
  const Workspace memory(on, static_cast<size_t>(rows) * sizeof(float));
  float* const dots = memory.as<float>();
  for_fast(g, [&]<class T, int kWidth, Extra kExtra>() {
    constexpr int kM = kWidth == 64 ? 2 : 1, kRows = 16 * kM * kFastWarps;
    const size_t shared = (2 * kRows + 4 * kOtherRows<kWidth>)*kWidth * sizeof(T);
    constexpr int kRowsOfBlock = kFastThreads / kDotLanes<kWidth>;
    start(on, {.blocks = (rows + kRowsOfBlock - 1) / kRowsOfBlock, .threads = kFastThreads},
          dots_kernel<T, kWidth>, g, dots);
    start(on,
          {.blocks = (g.keys + kRows - 1) / kRows,
           .threads = kFastThreads,
           .shared = shared,
           .y = g.kv_heads,
           .z = g.batches},
          fast_dkv_kernel<T, kWidth, kM, kExtra>, g, rule, dots);
    start(on,
          {.blocks = (g.queries + kRows - 1) / kRows,
           .threads = kFastThreads,
           .shared = shared,
           .y = g.heads,
           .z = g.batches},
          fast_dq_kernel<T, kWidth, kM, kExtra>, g, rule, dots);
  });
}

}  // namespace jogak::cuda
