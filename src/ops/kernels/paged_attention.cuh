// Attention over pages: up to kQ queries over the same keys, chunk by chunk of 128 tokens. In a
// chunk each of a block's eight warps takes 16 tokens, and what they found is joined in their
// order; then chunks are joined in theirs, by one block or by several that share them: the bits are
// the same.
#pragma once

#include "ops/paged_attention_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {

inline constexpr int kPageWarps = 8, kPageThreads = 32 * kPageWarps;  // of a block
inline constexpr int kUnit = 16;  // tokens a warp takes, from one page
inline constexpr int kChunk = kPageWarps * kUnit;
inline constexpr int kUnits = static_cast<int>(kPageTokens) / kUnit;  // of a page
inline constexpr int kColumns = 256;  // value columns of a block at most

// By tensor cores, where rows of prompts are many. False: they do not take this call.
bool paged_rows(OnCuda on, const PagedAttentionArgs& a);

// What a bias adds to the score of a query at `place` and a key.
__device__ __forceinline__ float added_score(const PagedAttentionArgs& a, int64_t head,
                                             int64_t place, int64_t key) {
  if (a.bias.data) return static_cast<const float*>(a.bias.data)[head * a.bias.head + key];
  const DistanceBias& d = a.distances;
  if (!d.data) return 0;
  return static_cast<const float*>(d.data)[head * d.head + d.zero + key - place];
}

// The keys a query sees: begin .. end - 1.
struct Span {
  int64_t begin, end;
  __device__ __forceinline__ bool has(int64_t key) const { return key >= begin && key < end; }
};

// The queries of a block over the same keys: query j is head + j of one row, or row + j of one run.
struct Queries {
  int64_t row, head, kv;
  int count;
  int64_t reach, stride;  // keys the first one sees, and how many more each next one
  const int64_t* pages;
  bool heads;

  __device__ __forceinline__ int64_t row_of(int j) const { return heads ? row : row + j; }
  __device__ __forceinline__ int64_t head_of(int j) const { return heads ? head + j : head; }
  __device__ __forceinline__ Span span(const PagedAttentionArgs& a, int j) const {
    const int64_t end = heads ? reach : reach + j * stride;
    return {a.window > 0 && end > a.window ? end - a.window : 0, end};
  }
};

// Shared memory of a block.
template <int kQ, int kC>
struct Space {
  float* q;        // [key_width, kQ]
  float* weights;  // [kPageWarps, kUnit, kQ]
  float* tops;     // [kPageWarps, kQ]
  float* totals;   // the same
  float* sums;     // [kPageWarps, kQ, 32 kC]
  static constexpr int kFixed = kPageWarps * kQ * (kUnit + 2 + 32 * kC);

  __device__ Space(float* all, int64_t key_width)
      : q(all),
        weights(q + (key_width * kQ + 3) / 4 * 4),
        tops(weights + kPageWarps * kUnit * kQ),
        totals(tops + kPageWarps * kQ),
        sums(totals + kPageWarps * kQ) {}
};

// The softmax over some keys: the largest score, and weights below it summed, alone and times one
// column of the values.
struct Softmax {
  float top = lowest<float>(), total = 0, sum = 0;

  __device__ __forceinline__ void join(const Softmax& more) {
    if (more.top == lowest<float>()) return;
    const float both = Larger()(top, more.top);
    const float mine = top == both ? 1.0f : exp(top - both);
    const float theirs = more.top == both ? 1.0f : exp(more.top - both);
    total = fmaf(more.total, theirs, total * mine);
    sum = fmaf(more.sum, theirs, sum * mine);
    top = both;
  }
};

template <class Op>
__device__ __forceinline__ float over_half_warp(float x, Op op) {
#pragma unroll
  for (int apart = 8; apart > 0; apart /= 2) x = op(x, __shfl_xor_sync(0xFFFFFFFFu, x, apart));
  return x;
}

// One number of rows, queries or results, whatever their type.
__device__ __forceinline__ float number_at(const void* from, int64_t i, DType dtype) {
  if (dtype == DType::bf16) return wide(static_cast<const __nv_bfloat16*>(from)[i]);
  if (dtype == DType::f16) return wide(static_cast<const __half*>(from)[i]);
  return static_cast<const float*>(from)[i];
}
__device__ __forceinline__ void set_number(void* to, int64_t i, DType dtype, float x) {
  if (dtype == DType::bf16)
    static_cast<__nv_bfloat16*>(to)[i] = narrow<__nv_bfloat16>(x);
  else if (dtype == DType::f16)
    static_cast<__half*>(to)[i] = narrow<__half>(x);
  else
    static_cast<float*>(to)[i] = x;
}

// body.template operator()<P>(), P: what pages hold.
template <class Body>
void for_page_type(CacheType type, Body&& body) {
  type == CacheType::bf16 ? body.template operator()<__nv_bfloat16>()
                          : body.template operator()<float>();
}

// One layer's keys and values of a page.
template <class P>
__device__ __forceinline__ P* keys_in(int64_t page, const PageLayout& l) {
  return reinterpret_cast<P*>(reinterpret_cast<float*>(page) + l.first);
}
template <class P>
__device__ __forceinline__ P* values_in(int64_t page, const PageLayout& l) {
  return reinterpret_cast<P*>(reinterpret_cast<float*>(page) + l.first + l.key_size());
}

template <int kCount>
__device__ __forceinline__ Pack<float, kCount> load_even(const __nv_bfloat16* from) {
  constexpr int kWords = kCount / 2;
  uint32_t words[kWords];
  if constexpr (kWords == 1) {
    words[0] = __ldg(reinterpret_cast<const uint32_t*>(from));
  } else if constexpr (kWords == 2) {
    const uint2 x = __ldg(reinterpret_cast<const uint2*>(from));
    words[0] = x.x, words[1] = x.y;
  } else {
    const uint4 x = __ldg(reinterpret_cast<const uint4*>(from));
    words[0] = x.x, words[1] = x.y, words[2] = x.z, words[3] = x.w;
  }
  Pack<float, kCount> out;
#pragma unroll
  for (int i = 0; i < kWords; ++i) {  // the upper half of a float is a bf16
    out.at[2 * i] = __uint_as_float(words[i] << 16);
    out.at[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000u);
  }
  return out;
}
template <int kCount>
__device__ __forceinline__ Pack<float, kCount> load_even(const float* from) {
  Pack<float, kCount> out;
  if constexpr (kCount == 2) {
    const float2 x = __ldg(reinterpret_cast<const float2*>(from));
    out.at[0] = x.x, out.at[1] = x.y;
  } else {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
      const float4 x = __ldg(reinterpret_cast<const float4*>(from + i));
      out.at[i] = x.x, out.at[i + 1] = x.y, out.at[i + 2] = x.z, out.at[i + 3] = x.w;
    }
  }
  return out;
}

// Numbers that lie side by side, by one load where they begin at 16 bytes or at a part of it.
template <int kCount, class P>
__device__ __forceinline__ Pack<float, kCount> load_floats(const P* from, bool even) {
  if (even) return load_even<kCount>(from);
  Pack<float, kCount> out;
#pragma unroll
  for (int i = 0; i < kCount; ++i) out.at[i] = wide(__ldg(from + i));
  return out;
}

// Scores of a unit's keys, that of key lane % 16 for each lane. Lanes take four keys at a time, and
// every eighth number of them.
template <int kQ, class P>
__device__ __forceinline__ void unit_scores(const PagedAttentionArgs& a, const Queries& at,
                                            const float* q, const P* keys, bool even, int64_t first,
                                            float (&score)[kQ]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int width = static_cast<int>(a.layout.key_width);
  float four[kQ][4] = {};
  constexpr int kTogether = kQ >= 8 ? 4 : 16;
#pragma unroll kTogether
  for (int i = lane / 4; i < width; i += 8) {
    const Pack<float, 4> k = load_floats<4>(keys + i * kPageTokens + lane % 4 * 4, even);
#pragma unroll
    for (int j = 0; j < kQ; ++j)
#pragma unroll
      for (int t = 0; t < 4; ++t) four[j][t] = fmaf(q[i * kQ + j], k.at[t], four[j][t]);
  }
  const float cap = static_cast<float>(a.cap);
  const int64_t key = first + lane % kUnit;
#pragma unroll
  for (int j = 0; j < kQ; ++j) {
    float mine = 0;
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      float sum = four[j][t];
#pragma unroll
      for (int apart = 4; apart < 32; apart *= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, apart);
      const float of_key = __shfl_sync(0xFFFFFFFFu, sum, lane % kUnit / 4);
      if (lane % 4 == t) mine = of_key;
    }
    score[j] = mine * static_cast<float>(a.scale);
    if (a.cap > 0) score[j] = cap * tanhf(score[j] / cap);
    const bool there = j < at.count && at.span(a, j).has(key);
    if (there)
      score[j] += added_score(a, at.head_of(j), at.span(a, j).end - 1, key);
    else
      score[j] = lowest<float>();
  }
}

// Scores to weights, in shared memory, with their largest and their sum.
template <int kQ, int kC>
__device__ __forceinline__ void unit_weights(const Space<kQ, kC>& space, float (&score)[kQ]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int j = 0; j < kQ; ++j) {
    const float top = over_half_warp(score[j], Larger());
    const float w = top == lowest<float>() ? 0.0f : exp(score[j] - top);
    const float total = over_half_warp(w, Plus());
    if (lane < kUnit) space.weights[(warp * kUnit + lane) * kQ + j] = w;
    if (lane == 0) space.tops[warp * kQ + j] = top, space.totals[warp * kQ + j] = total;
  }
  __syncwarp();
}

// One unit of a page, into shared memory: values are on their way while scores are computed.
template <class P, int kQ, int kC>
__device__ __forceinline__ void take_unit(const PagedAttentionArgs& a, const Queries& at,
                                          const Space<kQ, kC>& space, int64_t unit, int64_t reach,
                                          int64_t column, int columns) {
  constexpr int kAhead = kC * kQ <= 8 ? kUnit : kC <= 2 ? kUnit / 2 : kUnit / 4;
  const PageLayout& l = a.layout;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t page = __ldg(at.pages + unit / kUnits);
  const int place = static_cast<int>(unit % kUnits) * kUnit;  // in the page
  const P* const keys = keys_in<const P>(page, l) + at.kv * l.key_width * kPageTokens + place;
  const P* const values =
      values_in<const P>(page, l) + (at.kv * kPageTokens + place) * l.value_width + column;
  const int64_t left = reach - unit * kUnit;
  const int count = left < kUnit ? static_cast<int>(left) : kUnit;
  const bool even = l.first % 4 == 0 && l.value_width % 8 == 0;
  Pack<float, kC> v[kAhead];  // of the columns from lane kC on
  const auto load = [&](int from) {
#pragma unroll
    for (int t = 0; t < kAhead; ++t) {
      const P* const row = values + (from + t) * l.value_width + lane * kC;
      const int there = from + t < count ? columns - lane * kC : 0;
      if (there >= kC) {
        v[t] = load_floats<kC>(row, even);
      } else {
#pragma unroll
        for (int i = 0; i < kC; ++i) v[t].at[i] = i < there ? wide(__ldg(row + i)) : 0.0f;
      }
    }
  };
  load(0);
  float score[kQ], sums[kQ][kC] = {};
  unit_scores<kQ>(a, at, space.q, keys, even, unit * kUnit, score);
  unit_weights<kQ, kC>(space, score);
  const float* const weights = space.weights + warp * kUnit * kQ;
#pragma unroll
  for (int from = 0; from < kUnit; from += kAhead) {
    if (from > 0) load(from);
#pragma unroll
    for (int t = 0; t < kAhead; ++t)
#pragma unroll
      for (int j = 0; j < kQ; ++j) {
        const float w = weights[(from + t) * kQ + j];
#pragma unroll
        for (int i = 0; i < kC; ++i) sums[j][i] = fmaf(w, v[t].at[i], sums[j][i]);
      }
  }
#pragma unroll
  for (int j = 0; j < kQ; ++j)
#pragma unroll
    for (int i = 0; i < kC; ++i) space.sums[(warp * kQ + j) * 32 * kC + lane * kC + i] = sums[j][i];
}

// Queries and columns that a thread joins, one after the other: result n is column n % columns of
// query n / columns.
template <int kQ, int kC>
struct Results {
  static constexpr int kOwn = (kQ * 32 * kC + kPageThreads - 1) / kPageThreads;
  Softmax own[kOwn];

  template <class F>
  __device__ __forceinline__ void each(int queries, int columns, F f) {
#pragma unroll
    for (int i = 0; i < kOwn; ++i)
      if (const int n = i * kPageThreads + static_cast<int>(threadIdx.x); n < queries * columns)
        f(own[i], n / columns, n % columns);
  }
};

// Eight units that lie one after the other, as the threads that join them see them. The block waits
// before and after.
template <int kQ, int kC>
__device__ __forceinline__ Softmax chunk_of(const Space<kQ, kC>& space, int j, int x) {
  Softmax out;
#pragma unroll
  for (int w = 0; w < kPageWarps; ++w)
    out.join(
        {space.tops[w * kQ + j], space.totals[w * kQ + j], space.sums[(w * kQ + j) * 32 * kC + x]});
  return out;
}

template <class P, int kQ, int kC>
__device__ __forceinline__ void take_chunk(const PagedAttentionArgs& a, const Queries& at,
                                           const Space<kQ, kC>& space, int64_t chunk, int64_t reach,
                                           int64_t column, int columns) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t unit = chunk * kPageWarps + warp;
  if (unit * kUnit < reach)
    take_unit<P, kQ, kC>(a, at, space, unit, reach, column, columns);
  else if (lane < kQ)
    space.tops[warp * kQ + lane] = lowest<float>();
  __syncthreads();
}

template <int kQ, int kC>
__device__ __forceinline__ void load_queries(const PagedAttentionArgs& a, const Queries& at,
                                             const Space<kQ, kC>& space) {
  const int64_t width = a.layout.key_width;
  for (int64_t i = threadIdx.x; i < width * kQ; i += kPageThreads) {
    const int j = static_cast<int>(i / width);
    const int64_t x = i - j * width;
    const int64_t q = at.row_of(j) * a.q_row + at.head_of(j) * a.q_head + x;
    space.q[x * kQ + j] = j < at.count ? number_at(a.q, q, a.dtype) : 0.0f;
  }
  __syncthreads();
}

__device__ __forceinline__ void set_result(const PagedAttentionArgs& a, const Queries& at, int j,
                                           int64_t column, float x) {
  const int64_t row = (at.row_of(j) * a.heads + at.head_of(j)) * a.layout.value_width;
  set_number(a.out, row + column, a.dtype, x);
}

// All chunks by one block; blocks along z have columns of their own.
template <class P, int kQ, int kC>
__device__ __forceinline__ void attend(const PagedAttentionArgs& a, const Queries& at,
                                       const Space<kQ, kC>& space) {
  const int64_t column = static_cast<int64_t>(blockIdx.z) * kColumns;
  const int64_t more = a.layout.value_width - column;
  const int columns = more < kColumns ? static_cast<int>(more) : kColumns;
  load_queries(a, at, space);
  const int64_t reach = at.span(a, at.count - 1).end;
  Results<kQ, kC> results;
  for (int64_t chunk = at.span(a, 0).begin / kChunk; chunk * kChunk < reach; ++chunk) {
    take_chunk<P>(a, at, space, chunk, reach, column, columns);
    results.each(at.count, columns,
                 [&](Softmax& mine, int j, int x) { mine.join(chunk_of(space, j, x)); });
    __syncthreads();  // before the units of the next
  }
  results.each(at.count, columns, [&](Softmax& mine, int j, int x) {
    set_result(a, at, j, column + x, mine.sum / mine.total);
  });
}

}  // namespace jogak::cuda
