#include "ops/paged_attention_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

template <class T>
struct CacheAt {  // one number of a row
  CacheRowsArgs a;
  __device__ void operator()(int64_t i) const {
    const PageLayout& l = a.layout;
    const int64_t keys = l.kv_heads * l.key_width, width = keys + l.kv_heads * l.value_width;
    const int64_t row = i / width, c = i - row * width;
    float* const page = reinterpret_cast<float*>(a.slots[2 * row]);
    if (!page) return;
    const int64_t slot = a.slots[2 * row + 1];
    const float x = wide(static_cast<const T*>(a.rows)[row * a.row + c]);
    if (c < keys) {
      page[l.first + c * kPageTokens + slot] = x;
    } else {
      const int64_t h = (c - keys) / l.value_width, e = (c - keys) - h * l.value_width;
      page[l.first + l.key_size() + (h * kPageTokens + slot) * l.value_width + e] = x;
    }
  }
};

constexpr int kWarps = 8;  // of a block
constexpr int kUnit = 16;  // tokens a warp takes at a time, from one page
constexpr int kUnits = static_cast<int>(kPageTokens) / kUnit;  // of a page
constexpr int kColumns = 256;                                  // value columns of a block at most

// How queries share blocks: so many rows of one run, or so many heads over the same keys. A query's
// sums have the same order in either.
struct Sharing {
  bool heads = false;
  int queries = 1;
};

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
  float* weights;  // [kWarps, kUnit, kQ]
  float* tops;     // [kWarps, kQ]
  float* totals;   // the same
  float* sums;     // [kWarps, kQ, 32 kC]
  static constexpr int kFixed = kWarps * kQ * (kUnit + 2 + 32 * kC);

  __device__ Space(float* all, int64_t key_width)
      : q(all),
        weights(q + (key_width * kQ + 3) / 4 * 4),
        tops(weights + kWarps * kUnit * kQ),
        totals(tops + kWarps * kQ),
        sums(totals + kWarps * kQ) {}
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
  constexpr int kTogether = kQ == 8 ? 8 : 16;
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
  for (int n = static_cast<int>(threadIdx.x); n < at.count * columns; n += kWarps * 32) {
    const int j = n / columns, x = n - j * columns;
    float top = space.tops[j], total = 0, sum = 0;
    for (int i = 1; i < kWarps; ++i) top = Larger()(top, space.tops[i * kQ + j]);
    for (int i = 0; i < kWarps; ++i) {
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
  for (int64_t i = threadIdx.x; i < width * kQ; i += kWarps * 32) {
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
  int64_t unit = begin + (warp - begin % kWarps + kWarps) % kWarps;
  Carried<kQ, kC> c;
  const auto page_of = [&](int64_t u) {
    return u * kUnit < reach ? __ldg(at.pages + u / kUnits) : 0;
  };
  for (int64_t page = page_of(unit); unit * kUnit < reach; unit += kWarps) {
    const int64_t next = page_of(unit + kWarps);
    take_unit<kQ, kC>(a, at, space, reinterpret_cast<const float*>(page), unit, reach, column,
                      columns, c);
    page = next;
  }
  join_warps<T, kQ, kC>(a, at, space, c, column, columns);
}

// The run of a row: they stand in order of their rows, and where all are one row long, as when each
// text grows by one token, it is the row's number.
__device__ __forceinline__ int64_t run_of(const PagedAttentionArgs& a, int64_t row) {
  if (row < a.run_count && a.runs[4 * row] == row) return row;
  int64_t run = 0;
  while (row >= a.runs[4 * run] + a.runs[4 * run + 1]) ++run;
  return run;
}

// A block takes kQ heads of a row, or kQ rows of a head: those of one run together.
template <class T, int kQ, int kC>
__global__ void __launch_bounds__(kWarps * 32, kQ == 8 && kC <= 4 ? 2 : 1)
    paged_kernel(PagedAttentionArgs a, bool heads) {
  const Space<kQ, kC> space(dynamic_shared<float>(), a.layout.key_width);
  const int64_t group = a.heads / a.layout.kv_heads;
  int64_t row = heads ? blockIdx.x : static_cast<int64_t>(blockIdx.x) * kQ;
  const int64_t head = heads ? static_cast<int64_t>(blockIdx.y) * kQ : blockIdx.y;
  const int64_t end = heads ? row + 1 : row + kQ < a.rows ? row + kQ : a.rows;
  while (row < end) {
    const int64_t run = run_of(a, row);
    const int64_t* const r = a.runs + 4 * run;
    const int64_t last = r[0] + r[1] < end ? r[0] + r[1] : end;
    const Queries at{.row = row,
                     .head = head,
                     .kv = head / group,
                     .count = heads ? kQ : static_cast<int>(last - row),
                     .reach = r[2] + (row - r[0]) * r[3] + 1,
                     .stride = r[3],
                     .pages = a.pages + run * a.most,
                     .heads = heads};
    attend<T, kQ, kC>(a, at, space);
    row = heads ? end : last;
    __syncthreads();  // before q of the next
  }
}

// Long runs share keys between their rows; texts that grow by a token, between heads.
Sharing sharing_of(const PagedAttentionArgs& a) {
  if (a.rows >= 4 * a.run_count) return {.heads = false, .queries = 8};
  const int64_t group = a.heads / a.layout.kv_heads;
  const int queries = group % 8 == 0 ? 8 : group % 4 == 0 ? 4 : 1;
  constexpr int64_t kBusy = 256;  // blocks below which it is the waiting that takes time
  return {.heads = true, .queries = a.rows * a.heads / queries >= kBusy ? queries : 1};
}

template <class T, int kQ, int kC>
void start_paged(OnCuda on, const PagedAttentionArgs& a, bool heads) {
  const auto width = static_cast<size_t>(a.layout.key_width);
  start(on,
        {.blocks = heads ? a.rows : (a.rows + kQ - 1) / kQ,
         .threads = kWarps * 32,
         .shared = ((width * kQ + 3) / 4 * 4 + Space<kQ, kC>::kFixed) * sizeof(float),
         .y = heads ? a.heads / kQ : a.heads,
         .z = (a.layout.value_width + kColumns - 1) / kColumns},
        paged_kernel<T, kQ, kC>, a, heads);
}

// body.template operator()<T>() for the types that rows have here.
template <class Body>
void for_row_type(DType dtype, Body&& body) {
  if (dtype == DType::bf16) return body.template operator()<__nv_bfloat16>();
  if (dtype == DType::f16) return body.template operator()<__half>();
  body.template operator()<float>();
}

}  // namespace

void run(OnCuda on, const CacheRowsArgs& a) {
  const PageLayout& l = a.layout;
  for_row_type(a.dtype, [&]<class T>() {
    each(on, a.count * l.kv_heads * (l.key_width + l.value_width), CacheAt<T>{a});
  });
}

void run(OnCuda on, const PagedAttentionArgs& a) {
  const Sharing sharing = sharing_of(a);
  for_row_type(a.dtype, [&]<class T>() {
    const auto by_width = [&]<int kQ>() {
      if (a.layout.value_width <= 64) return start_paged<T, kQ, 2>(on, a, sharing.heads);
      if (a.layout.value_width <= 128) return start_paged<T, kQ, 4>(on, a, sharing.heads);
      start_paged<T, kQ, 8>(on, a, sharing.heads);
    };
    if (sharing.queries == 8) return by_width.template operator()<8>();
    if (sharing.queries == 4) return by_width.template operator()<4>();
    by_width.template operator()<1>();
  });
}

}  // namespace jogak::cuda
