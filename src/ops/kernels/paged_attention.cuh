// Attention over pages, a block at a time: up to kQ queries over the same keys, eight warps that
// take units of 16 tokens in turn, each with a softmax carried along, and what they found joined in
// their order.
#pragma once

#include "ops/paged_attention_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {

inline constexpr int kPageWarps = 8;  // of a block
inline constexpr int kUnit = 16;      // tokens a warp takes at a time, from one page
inline constexpr int kUnits = static_cast<int>(kPageTokens) / kUnit;  // of a page
inline constexpr int kColumns = 256;  // value columns of a block at most

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

// Softmax carried along by one warp over its units.
template <int kQ, int kC>
struct Carried {
  float top[kQ], total[kQ], sums[kQ][kC] = {};
  __device__ Carried() {
    for (int j = 0; j < kQ; ++j) top[j] = lowest<float>(), total[j] = 0;
  }
};

template <class Op>
__device__ __forceinline__ float over_half_warp(float x, Op op) {
#pragma unroll
  for (int apart = 8; apart > 0; apart /= 2) x = op(x, __shfl_xor_sync(0xFFFFFFFFu, x, apart));
  return x;
}

// Scores of the lane's key, unit by unit: halves of a warp take every other number of the keys.
template <int kQ>
__device__ __forceinline__ void unit_scores(const PagedAttentionArgs& a, const Queries& at,
                                            const float* q, const float* keys, int64_t key,
                                            float (&score)[kQ]) {
  const int half = static_cast<int>(threadIdx.x) % 32 / 16,
            width = static_cast<int>(a.layout.key_width);
#pragma unroll
  for (int j = 0; j < kQ; ++j) score[j] = 0;
  constexpr int kTogether = kQ >= 8 ? 8 : 16;
#pragma unroll kTogether
  for (int i = half; i < width; i += 2) {
    const float k = __ldg(keys + i * kPageTokens);
#pragma unroll
    for (int j = 0; j < kQ; ++j) score[j] = fmaf(q[i * kQ + j], k, score[j]);
  }
  const float cap = static_cast<float>(a.cap);
#pragma unroll
  for (int j = 0; j < kQ; ++j) {
    score[j] += __shfl_xor_sync(0xFFFFFFFFu, score[j], 16);
    score[j] *= static_cast<float>(a.scale);
    if (a.cap > 0) score[j] = cap * tanhf(score[j] / cap);
    const bool there = j < at.count && at.span(a, j).has(key);
    if (a.bias.data && there)
      score[j] += static_cast<const float*>(a.bias.data)[at.head_of(j) * a.bias.head + key];
    if (!there) score[j] = lowest<float>();
  }
}

// Scores to weights, in shared memory, by what was seen before.
template <int kQ, int kC>
__device__ __forceinline__ void unit_weights(float (&score)[kQ], float* weights,
                                             Carried<kQ, kC>& c) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < kQ; ++j) {
    const float top = Larger()(c.top[j], over_half_warp(score[j], Larger()));
    const bool none = top == lowest<float>();
    const float fade = none || c.top[j] == top ? 1.0f : exp(c.top[j] - top);
    const float w = none ? 0.0f : exp(score[j] - top);
    c.total[j] = c.total[j] * fade + over_half_warp(w, Plus());
    c.top[j] = top;
#pragma unroll
    for (int i = 0; i < kC; ++i) c.sums[j][i] *= fade;
    if (lane < kUnit) weights[lane * kQ + j] = w;
  }
}

// One unit of a page: values are on their way while scores are computed.
template <int kQ, int kC>
__device__ __forceinline__ void take_unit(const PagedAttentionArgs& a, const Queries& at,
                                          const Space<kQ, kC>& space, const float* page,
                                          int64_t unit, int64_t reach, int64_t column, int columns,
                                          Carried<kQ, kC>& c) {
  constexpr int kAhead = kC * kQ <= 8 ? kUnit : kC <= 2 ? kUnit / 2 : kUnit / 4;
  const PageLayout& l = a.layout;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int place = static_cast<int>(unit % kUnits) * kUnit;  // in the page
  const float* const keys =
      page + l.first + at.kv * l.key_width * kPageTokens + place + lane % kUnit;
  const float* const values =
      page + l.first + l.key_size() + (at.kv * kPageTokens + place) * l.value_width + column;
  const int64_t left = reach - unit * kUnit;
  const int count = left < kUnit ? static_cast<int>(left) : kUnit;
  float v[kAhead][kC];
  const auto load = [&](int from) {
#pragma unroll
    for (int t = 0; t < kAhead; ++t)
#pragma unroll
      for (int i = 0; i < kC; ++i)
        v[t][i] = from + t < count && lane + 32 * i < columns
                      ? __ldg(values + (from + t) * l.value_width + lane + 32 * i)
                      : 0.0f;
  };
  load(0);
  float score[kQ];
  unit_scores<kQ>(a, at, space.q, keys, unit * kUnit + lane % kUnit, score);
  float* const weights = space.weights + warp * kUnit * kQ;
  unit_weights<kQ, kC>(score, weights, c);
  __syncwarp();
#pragma unroll
  for (int from = 0; from < kUnit; from += kAhead) {
    if (from > 0) load(from);
#pragma unroll
    for (int t = 0; t < kAhead; ++t)
#pragma unroll
      for (int j = 0; j < kQ; ++j) {
        const float w = weights[(from + t) * kQ + j];
#pragma unroll
        for (int i = 0; i < kC; ++i) c.sums[j][i] = fmaf(w, v[t][i], c.sums[j][i]);
      }
  }
  __syncwarp();  // before the weights of the next unit
}

// What the warps found, joined in their order.
template <class T, int kQ, int kC>
__device__ __forceinline__ void join_warps(const PagedAttentionArgs& a, const Queries& at,
                                           const Space<kQ, kC>& space, const Carried<kQ, kC>& c,
                                           int64_t column, int columns) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int j = 0; j < kQ; ++j) {
    if (lane == 0) space.tops[warp * kQ + j] = c.top[j], space.totals[warp * kQ + j] = c.total[j];
#pragma unroll
    for (int i = 0; i < kC; ++i)
      space.sums[(warp * kQ + j) * 32 * kC + lane + 32 * i] = c.sums[j][i];
  }
  __syncthreads();
  for (int n = static_cast<int>(threadIdx.x); n < at.count * columns; n += kPageWarps * 32) {
    const int j = n / columns, x = n - j * columns;
    float top = space.tops[j], total = 0, sum = 0;
    for (int i = 1; i < kPageWarps; ++i) top = Larger()(top, space.tops[i * kQ + j]);
    for (int i = 0; i < kPageWarps; ++i) {
      if (space.tops[i * kQ + j] == lowest<float>()) continue;
      const float share = exp(space.tops[i * kQ + j] - top);
      total = fmaf(space.totals[i * kQ + j], share, total);
      sum = fmaf(space.sums[(i * kQ + j) * 32 * kC + x], share, sum);
    }
    T* const out =
        static_cast<T*>(a.out) + (at.row_of(j) * a.heads + at.head_of(j)) * a.layout.value_width;
    out[column + x] = narrow<T>(sum / total);
  }
}

// Units of the pages go to warps by their number, so that a query's sums do not depend on where
// its span or its block begins.
template <class T, int kQ, int kC>
__device__ __forceinline__ void attend(const PagedAttentionArgs& a, const Queries& at,
                                       const Space<kQ, kC>& space) {
  const int64_t column = static_cast<int64_t>(blockIdx.z) * kColumns;
  const int64_t more = a.layout.value_width - column, width = a.layout.key_width;
  const int columns = more < kColumns ? static_cast<int>(more) : kColumns;
  for (int64_t i = threadIdx.x; i < width * kQ; i += kPageWarps * 32) {
    const int j = static_cast<int>(i / width);
    const int64_t x = i - j * width;
    const bool there = j < at.count;
    space.q[x * kQ + j] = there ? wide(static_cast<const T*>(
                                      a.q)[at.row_of(j) * a.q_row + at.head_of(j) * a.q_head + x])
                                : 0.0f;
  }
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int64_t begin = at.span(a, 0).begin / kUnit, reach = at.span(a, at.count - 1).end;
  int64_t unit = begin + (warp - begin % kPageWarps + kPageWarps) % kPageWarps;
  Carried<kQ, kC> c;
  const auto page_of = [&](int64_t u) {
    return u * kUnit < reach ? __ldg(at.pages + u / kUnits) : 0;
  };
  for (int64_t page = page_of(unit); unit * kUnit < reach; unit += kPageWarps) {
    const int64_t next = page_of(unit + kPageWarps);
    take_unit<kQ, kC>(a, at, space, reinterpret_cast<const float*>(page), unit, reach, column,
                      columns, c);
    page = next;
  }
  join_warps<T, kQ, kC>(a, at, space, c, column, columns);
}

}  // namespace jogak::cuda
