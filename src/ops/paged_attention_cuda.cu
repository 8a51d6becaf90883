#include "ops/kernels/paged_attention.cuh"

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

// How queries share blocks: so many rows of one run, or so many heads over the same keys. A query's
// sums have the same order in either.
struct Sharing {
  bool heads = false;
  int queries = 1;
};

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
__global__ void __launch_bounds__(kPageWarps * 32, kQ == 8 && kC <= 4 ? 2 : 1)
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
  if (a.rows >= 16 * a.run_count && a.layout.value_width <= 128)
    return {.heads = false, .queries = 16};
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
         .threads = kPageWarps * 32,
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
    if (sharing.queries == 16) {
      if (a.layout.value_width <= 64) return start_paged<T, 16, 2>(on, a, sharing.heads);
      return start_paged<T, 16, 4>(on, a, sharing.heads);
    }
    if (sharing.queries == 8) return by_width.template operator()<8>();
    if (sharing.queries == 4) return by_width.template operator()<4>();
    by_width.template operator()<1>();
  });
}

}  // namespace jogak::cuda
