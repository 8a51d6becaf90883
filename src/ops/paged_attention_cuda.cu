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

constexpr int kWarps = 4, kColumns = 256;  // value columns of a block: 8 a lane

// Softmax carried along by one warp over its pages.
struct Carried {
  float top = lowest<float>(), total = 0, sums[kColumns / 32] = {};
};

// The keys a row sees: begin .. end - 1.
struct Span {
  int64_t begin, end;
};

// One page: lanes hold two keys each for the scores, then columns of the values.
__device__ void take_page(const PagedAttentionArgs& a, int64_t h, const float* q, const float* page,
                          int64_t p, Span seen, int64_t column, int columns, Carried& c) {
  const PageLayout& l = a.layout;
  const int64_t kv = h / (a.heads / l.kv_heads);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const float* const keys = page + l.first + kv * l.key_width * kPageTokens;
  const float* const values =
      page + l.first + l.key_size() + kv * kPageTokens * l.value_width + column;
  float score[2] = {0, 0};
#pragma unroll 16
  for (int64_t i = 0; i < l.key_width; ++i) {
    score[0] += q[i] * keys[i * kPageTokens + lane];
    score[1] += q[i] * keys[i * kPageTokens + lane + 32];
  }
  const float cap = static_cast<float>(a.cap);
  for (int s = 0; s < 2; ++s) {
    const int64_t key = p * kPageTokens + lane + 32 * s;
    const bool there = key >= seen.begin && key < seen.end;
    score[s] *= static_cast<float>(a.scale);
    if (a.cap > 0) score[s] = cap * tanhf(score[s] / cap);
    if (a.bias.data && there)
      score[s] += static_cast<const float*>(a.bias.data)[h * a.bias.head + key];
    if (!there) score[s] = lowest<float>();
  }
  const float here = over_warp(Larger()(score[0], score[1]), Larger());
  const float top = Larger()(c.top, here);
  const float fade = c.top == top ? 1.0f : exp(c.top - top);
  const float w[2] = {exp(score[0] - top), exp(score[1] - top)};
  c.total = c.total * fade + over_warp(w[0] + w[1], Plus());
  c.top = top;
  for (float& sum : c.sums) sum *= fade;
  const int64_t left = seen.end - p * kPageTokens;
  const int count = left < kPageTokens ? static_cast<int>(left) : static_cast<int>(kPageTokens);
#pragma unroll 8
  for (int t = 0; t < count; ++t) {
    const float weight = __shfl_sync(0xFFFFFFFFu, t < 32 ? w[0] : w[1], t % 32);
#pragma unroll
    for (int i = 0; i < kColumns / 32; ++i)
      if (lane + 32 * i < columns) c.sums[i] += weight * values[t * l.value_width + lane + 32 * i];
  }
}

// The run of a row: they stand in order of their rows, and where all are one row long, as when each
// text grows by one token, it is the row's number.
__device__ __forceinline__ int64_t run_of(const PagedAttentionArgs& a, int64_t row) {
  if (row < a.run_count && a.runs[4 * row] == row) return row;
  int64_t run = 0;
  while (row >= a.runs[4 * run] + a.runs[4 * run + 1]) ++run;
  return run;
}

// A block a row, head and 256 columns of the values. Its warps take pages in turn; what they found
// is joined in their order.
template <class T>
__global__ void paged_kernel(PagedAttentionArgs a) {
  __shared__ float tops[kWarps], totals[kWarps], sums[kWarps][kColumns];
  float* const q = dynamic_shared<float>();
  const int64_t row = blockIdx.x, h = blockIdx.y,
                column = static_cast<int64_t>(blockIdx.z) * kColumns;
  const int64_t more = a.layout.value_width - column;
  const int columns = more < kColumns ? static_cast<int>(more) : kColumns;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const T* const query = static_cast<const T*>(a.q) + row * a.q_row + h * a.q_head;
  for (int64_t i = threadIdx.x; i < a.layout.key_width; i += kWarps * 32) q[i] = wide(query[i]);
  const int64_t run = run_of(a, row);
  const int64_t* const r = a.runs + 4 * run;
  const int64_t reach = r[2] + (row - r[0]) * r[3] + 1;
  const Span seen{a.window > 0 && reach > a.window ? reach - a.window : 0, reach};
  __syncthreads();
  Carried c;
  for (int64_t p = seen.begin / kPageTokens + warp; p * kPageTokens < reach; p += kWarps)
    take_page(a, h, q, reinterpret_cast<const float*>(a.pages[run * a.most + p]), p, seen, column,
              columns, c);
  if (lane == 0) tops[warp] = c.top, totals[warp] = c.total;
  for (int i = 0; i < kColumns / 32; ++i) sums[warp][lane + 32 * i] = c.sums[i];
  __syncthreads();
  float top = tops[0];
  for (int i = 1; i < kWarps; ++i) top = Larger()(top, tops[i]);
  float total = 0;
  for (int i = 0; i < kWarps; ++i)
    if (tops[i] != lowest<float>()) total += totals[i] * exp(tops[i] - top);
  T* const out = static_cast<T*>(a.out) + (row * a.heads + h) * a.layout.value_width + column;
  for (int j = static_cast<int>(threadIdx.x); j < columns; j += kWarps * 32) {
    float sum = 0;
    for (int i = 0; i < kWarps; ++i)
      if (tops[i] != lowest<float>()) sum += sums[i][j] * exp(tops[i] - top);
    out[j] = narrow<T>(sum / total);
  }
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
  for_row_type(a.dtype, [&]<class T>() {
    start(on,
          {.blocks = a.rows,
           .threads = kWarps * 32,
           .shared = static_cast<size_t>(a.layout.key_width) * sizeof(float),
           .y = a.heads,
           .z = (a.layout.value_width + kColumns - 1) / kColumns},
          paged_kernel<T>, a);
  });
}

}  // namespace jogak::cuda
