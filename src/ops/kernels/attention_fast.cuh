// What the attention kernels on tensor cores share: scores of tiles, masks, and which calls they
// take. Scores are in units of log 2: weights are powers of two.
#pragma once

#include "ops/kernels/attention.cuh"
#include "ops/kernels/mma.cuh"

namespace jogak::cuda {

inline constexpr int kFastWarps = 4, kFastThreads = 32 * kFastWarps;
// Blocks that a multiprocessor holds at once, at least: narrow heads mostly wait for their numbers.
template <int kWidth>
inline constexpr int kAtOnce = kWidth == 16 ? 6 : 1;
inline constexpr float kLog2e = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

void fast_attention(OnCuda on, const AttentionArgs& g);
void fast_attention_backward(OnCuda on, const AttentionBackwardArgs& g);

// Heads of at most 128 numbers in bf16 or f16, 16 bytes at a time; tiles are 16, 64 or 128 wide.
bool takes_fast(const AttentionArgs& g);
bool lies_fast(std::initializer_list<HeadsView> heads);  // the latter

// What a call asks for beside a causal mask: nothing, dropout alone, or anything (key mask, biases,
// window, cap).
enum class Extra { none, drop, any };

// body.template operator()<T, kWidth, kExtra>().
template <class Body>
void for_fast(const AttentionArgs& g, Body&& body) {
  const bool any = g.key_mask || g.bias.data || g.distances.data || g.window > 0 || g.cap > 0;
  const auto extra = [&]<class T, int kWidth>() {
    if (any) return body.template operator()<T, kWidth, Extra::any>();
    if (g.dropout > 0) return body.template operator()<T, kWidth, Extra::drop>();
    body.template operator()<T, kWidth, Extra::none>();
  };
  const auto width = [&]<class T>() {
    if (g.width <= 16) return extra.template operator()<T, 16>();
    g.width <= 64 ? extra.template operator()<T, 64>() : extra.template operator()<T, 128>();
  };
  if (g.dtype == DType::bf16)
    width.template operator()<__nv_bfloat16>();
  else
    width.template operator()<__half>();
}

__device__ __forceinline__ int lane_row() { return static_cast<int>(threadIdx.x) % 32 / 4; }
__device__ __forceinline__ int lane_column() { return static_cast<int>(threadIdx.x) % 4 * 2; }

// By one instruction: what is below the smallest float of full precision becomes 0.
__device__ __forceinline__ float power_of_two(float x) {
  float out;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(x));
  return out;
}

// Four lanes hold a row.
template <class Op>
__device__ __forceinline__ float over_row(float x, Op op) {
  x = op(x, __shfl_xor_sync(0xFFFFFFFFu, x, 1));
  return op(x, __shfl_xor_sync(0xFFFFFFFFu, x, 2));
}

// What a weight's place means: whether a query sees a key, and what is added and dropped.
template <Extra kExtra>
struct Place {
  static constexpr bool kPlain = kExtra != Extra::any;  // causal or not, and nothing else
  const AttentionArgs& g;
  DropRule rule;
  int64_t b, h;
  float scale;

  __device__ Place(const AttentionArgs& args, const DropRule& dropping, int64_t batch, int64_t head)
      : g(args),
        rule(dropping),
        b(batch),
        h(head),
        scale(static_cast<float>(args.scale) * kLog2e) {}

  __device__ __forceinline__ float masked(int64_t query, int64_t key, float product) const {
    if (key >= g.keys || (g.causal && key > query + g.keys - g.queries)) return lowest<float>();
    float score = product * scale;
    if constexpr (!kPlain) {
      if (!sees(g, query, key)) return lowest<float>();
      if (g.key_mask && !g.key_mask[b * g.keys + key]) return lowest<float>();
      if (g.cap > 0) return cap() * tanhf(score / cap());
      if (query < g.queries) score += kLog2e * added<float>(g, b, h, query, key);
    }
    return score;
  }

  __device__ __forceinline__ float cap() const { return static_cast<float>(g.cap) * kLog2e; }

  // The slope of a cap at what it made of a score.
  __device__ __forceinline__ float slope(float score) const {
    if (kPlain || g.cap == 0 || score == lowest<float>()) return 1;
    return 1 - score / cap() * (score / cap());
  }

  // The first key that queries from `first` on see, in whole tiles.
  __device__ __forceinline__ int64_t begin(int64_t first, int tile) const {
    return kPlain ? 0 : begin_of(g, first) / tile * tile;
  }

  template <int kTiles>
  __device__ __forceinline__ bool edge(int64_t first, int64_t from) const {
    return !kPlain || from + 8 * kTiles > g.keys ||
           (g.causal && from + 8 * kTiles - 1 > first + g.keys - g.queries);
  }

  // Products of queries first .. first + 15 and keys from .. become scores.
  template <int kTiles>
  __device__ __forceinline__ void mask(int64_t first, int64_t from, float (&x)[kTiles][4]) const {
    const bool at_edge = edge<kTiles>(first, from);
#pragma unroll
    for (int n = 0; n < kTiles; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        x[n][i] = at_edge ? masked(first + lane_row() + i / 2 * 8,
                                   from + 8 * n + lane_column() + i % 2, x[n][i])
                          : x[n][i] * scale;
  }

  // The same, but for a factor that is left out where none of them is changed.
  template <int kTiles>
  __device__ __forceinline__ float mask_before_scale(int64_t first, int64_t from,
                                                     float (&x)[kTiles][4]) const {
    if (!edge<kTiles>(first, from)) return scale;
    mask(first, from, x);
    return 1;
  }

  // Words of dropout's stream are four a call, for four neighbouring keys of a query. The lanes of
  // a tile [16, 8] share them out: each makes one call for itself and its neighbours.
  __device__ __forceinline__ PhiloxWords words(int64_t query, int64_t key) const {
    const int64_t row = (b * g.heads + h) * g.queries + query;
    const auto fours = static_cast<uint64_t>(row * ((g.keys + 63) / 64 * 16) + key / 4);
    return philox_words(rule.seed, rule.stream, fours);
  }
  __device__ __forceinline__ float factor(uint32_t word) const {
    return word < rule.limit ? 0.0f : static_cast<float>(rule.scale);
  }

  // What dropout multiplies a tile's weights by: rows are queries from `first` on, columns keys
  // from `from` on. Of two lanes with the same four keys one makes the words of the upper row, one
  // those of the lower.
  __device__ __forceinline__ void kept(int64_t first, int64_t from, float (&x)[4]) const {
    const int t = static_cast<int>(threadIdx.x) % 4, low = t % 2;
    const PhiloxWords w = words(first + lane_row() + 8 * low, from + t / 2 * 4);
    const uint32_t a = __shfl_xor_sync(0xFFFFFFFFu, low ? w.at[0] : w.at[2], 1);
    const uint32_t c = __shfl_xor_sync(0xFFFFFFFFu, low ? w.at[1] : w.at[3], 1);
    x[0] = factor(low ? a : w.at[0]), x[1] = factor(low ? c : w.at[1]);
    x[2] = factor(low ? w.at[2] : a), x[3] = factor(low ? w.at[3] : c);
  }

  // The same where rows are keys and columns queries. Four lanes have the same four keys: each
  // makes the words of one of the tile's four numbers that a lane holds, then they are exchanged.
  __device__ __forceinline__ void kept_by_key(int64_t from, int64_t first, float (&x)[4]) const {
    const int r = lane_row() % 4;
    PhiloxWords w = words(first + lane_column() + r % 2, from + lane_row() / 4 * 4 + r / 2 * 8);
    exchange(w.at[0], w.at[1], r % 2, 4);
    exchange(w.at[2], w.at[3], r % 2, 4);
    exchange(w.at[0], w.at[2], r / 2, 8);
    exchange(w.at[1], w.at[3], r / 2, 8);
#pragma unroll
    for (int i = 0; i < 4; ++i) x[i] = factor(w.at[i]);
  }
  // Two numbers of two lanes, seen as a 2 x 2 matrix with a row a lane, transposed.
  __device__ __forceinline__ static void exchange(uint32_t& a, uint32_t& c, int row, int apart) {
    const uint32_t other = __shfl_xor_sync(0xFFFFFFFFu, row ? a : c, apart);
    a = row ? other : a, c = row ? c : other;
  }

  template <int kTiles>
  __device__ __forceinline__ void drop(int64_t first, int64_t from, float (&x)[kTiles][4]) const {
    if constexpr (kExtra != Extra::none) {
      if (g.dropout == 0) return;
#pragma unroll
      for (int n = 0; n < kTiles; ++n) {
        float factors[4];
        kept(first, from + 8 * n, factors);
#pragma unroll
        for (int i = 0; i < 4; ++i) x[n][i] *= factors[i];
      }
    }
  }
};

// x[m] [16, kCount] += rows of a times rows of b, transposed: rows a_row + 16 m .. and b_row ..
template <class T, int kWidth, int kM, int kCount>
__device__ __forceinline__ void score_tile(const Tile<T, kWidth>& a, int a_row,
                                           const Tile<T, kWidth>& b, int b_row,
                                           float (&x)[kM][kCount / 8][4]) {
#pragma unroll
  for (int k = 0; k < kWidth / 16; ++k) {
    uint32_t left[kM][4];
#pragma unroll
    for (int m = 0; m < kM; ++m) a.load_a(left[m], a_row + 16 * m, k);
#pragma unroll
    for (int n = 0; n < kCount / 16; ++n) {
      uint32_t right[4];
      b.load_b(right, b_row + 16 * n, k);
#pragma unroll
      for (int m = 0; m < kM; ++m) {
        multiply_add<T>(x[m][2 * n], left[m], right[0], right[1]);
        multiply_add<T>(x[m][2 * n + 1], left[m], right[2], right[3]);
      }
    }
  }
}

// Takes one tile of scores, `scale` times what is given, into the softmax of 16 rows: they become
// weights below the largest so far, and what was summed before is scaled to match. `total` is each
// lane's own share.
template <int kTiles, int kWide>
__device__ __forceinline__ void carry(float scale, float (&scores)[kTiles][4], float (&top)[2],
                                      float (&total)[2], float (&out)[kWide][4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float largest = lowest<float>();
#pragma unroll
    for (int n = 0; n < kTiles; ++n)
      largest = Larger()(largest, Larger()(scores[n][2 * half], scores[n][2 * half + 1]));
    largest = over_row(largest, Larger());
    const bool none = largest == lowest<float>();
    const float here = none ? top[half] : Larger()(top[half], scale * largest);
    const float fade = none ? 1.0f : power_of_two(top[half] - here);
    const float shift = here == lowest<float>() ? 0.0f : here;
    float sum = 0;
#pragma unroll
    for (int n = 0; n < kTiles; ++n)
#pragma unroll
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        scores[n][i] = power_of_two(fmaf(scores[n][i], scale, -shift));
        sum += scores[n][i];
      }
    total[half] = total[half] * fade + sum;
    top[half] = here;
#pragma unroll
    for (int n = 0; n < kWide; ++n) out[n][2 * half] *= fade, out[n][2 * half + 1] *= fade;
  }
}

// Two neighbouring results [16, 8] as one first operand [16, 16].
template <class T>
__device__ __forceinline__ void as_operand(uint32_t (&a)[4], const float (&low)[4],
                                           const float (&high)[4]) {
  a[0] = packed<T>(low[0], low[1]);
  a[1] = packed<T>(low[2], low[3]);
  a[2] = packed<T>(high[0], high[1]);
  a[3] = packed<T>(high[2], high[3]);
}

// out[m] [16, kWidth] += x[m] [16, kCount] times rows b_row .. of b as they lie.
template <class T, int kWidth, int kM, int kCount>
__device__ __forceinline__ void add_rows(const float (&x)[kM][kCount / 8][4],
                                         const Tile<T, kWidth>& b, int b_row,
                                         float (&out)[kM][kWidth / 8][4]) {
#pragma unroll
  for (int k = 0; k < kCount / 16; ++k) {
    uint32_t left[kM][4];
#pragma unroll
    for (int m = 0; m < kM; ++m) as_operand<T>(left[m], x[m][2 * k], x[m][2 * k + 1]);
#pragma unroll
    for (int n = 0; n < kWidth / 16; ++n) {
      uint32_t right[4];
      b.load_b_rows(right, b_row + 16 * k, n);
#pragma unroll
      for (int m = 0; m < kM; ++m) {
        multiply_add<T>(out[m][2 * n], left[m], right[0], right[1]);
        multiply_add<T>(out[m][2 * n + 1], left[m], right[2], right[3]);
      }
    }
  }
}

// x [16, width] times a factor a row to rows first .. of a head; rows from `count` on are not
// there.
template <class T, int kTiles>
__device__ __forceinline__ void store_rows(const HeadsView& to, int64_t b, int64_t h, int64_t first,
                                           int64_t count, int64_t width, const float (&factor)[2],
                                           const float (&x)[kTiles][4]) {
  for (int half = 0; half < 2; ++half) {
    const int64_t row = first + lane_row() + 8 * half;
    if (row >= count) continue;
    T* const out = at<T>(to, b, row, h) + lane_column();
#pragma unroll
    for (int n = 0; n < kTiles; ++n) {
      if (8 * n >= width) break;
      const uint32_t pair =
          packed<T>(x[n][2 * half] * factor[half], x[n][2 * half + 1] * factor[half]);
      *reinterpret_cast<uint32_t*>(out + 8 * n) = pair;
    }
  }
}

}  // namespace jogak::cuda
