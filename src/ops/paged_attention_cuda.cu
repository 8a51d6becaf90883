#include "ops/kernels/paged_attention.cuh"

namespace jogak::cuda {
namespace {

template <class P>
struct CacheAt {  // one number of a row
  CacheRowsArgs a;
  __device__ void operator()(int64_t i) const {
    const PageLayout& l = a.layout;
    const int64_t keys = l.kv_heads * l.key_width, width = keys + l.kv_heads * l.value_width;
    const int64_t row = i / width, c = i - row * width;
    const int64_t page = a.slots[2 * row], slot = a.slots[2 * row + 1];
    if (page == 0) return;
    const P x = narrow<P>(number_at(a.rows, row * a.row + c, a.dtype));
    if (c < keys) {
      keys_in<P>(page, l)[c * kPageTokens + slot] = x;
    } else {
      const int64_t h = (c - keys) / l.value_width, e = (c - keys) - h * l.value_width;
      values_in<P>(page, l)[(h * kPageTokens + slot) * l.value_width + e] = x;
    }
  }
};

// How queries share blocks, so many rows of one run or so many heads over the same keys, and blocks
// the chunks of a query.
struct Sharing {
  bool heads = false;
  int queries = 1, splits = 1;
};

// The run of a row: they stand in order of their rows, and where all are one row long, as when each
// text grows by one token, it is the row's number.
__device__ __forceinline__ int64_t run_of(const PagedAttentionArgs& a, int64_t row) {
  if (row < a.run_count && a.runs[4 * row] == row) return row;
  int64_t run = 0;
  while (row >= a.runs[4 * run] + a.runs[4 * run + 1]) ++run;
  return run;
}

__device__ __forceinline__ Queries one_row(const PagedAttentionArgs& a, int64_t row, int64_t head,
                                           int count) {
  const int64_t run = run_of(a, row);
  const int64_t* const r = a.runs + 4 * run;
  return {.row = row,
          .head = head,
          .kv = head / (a.heads / a.layout.kv_heads),
          .count = count,
          .reach = r[2] + (row - r[0]) * r[3] + 1,
          .stride = r[3],
          .pages = a.pages + run * a.most,
          .heads = true};
}

// Blocks of a multiprocessor: few values wait in registers where there is one query.
constexpr int at_once(int queries, int columns) {
  return queries * columns <= 2 ? 3 : queries <= 8 && columns <= 4 ? 2 : 1;
}

// A block takes kQ heads of a row, or kQ rows of a head: those of one run together.
template <class P, int kQ, int kC>
__global__ void __launch_bounds__(kPageThreads, at_once(kQ, kC))
    paged_kernel(PagedAttentionArgs a, bool heads) {
  const Space<kQ, kC> space(dynamic_shared<float>(), a.layout.key_width);
  if (heads)
    return attend<P>(a, one_row(a, blockIdx.x, static_cast<int64_t>(blockIdx.y) * kQ, kQ), space);
  int64_t row = static_cast<int64_t>(blockIdx.x) * kQ;
  const int64_t end = row + kQ < a.rows ? row + kQ : a.rows;
  while (row < end) {
    Queries at = one_row(a, row, blockIdx.y, 1);
    const int64_t* const r = a.runs + 4 * run_of(a, row);
    const int64_t last = r[0] + r[1] < end ? r[0] + r[1] : end;
    at.count = static_cast<int>(last - row), at.heads = false;
    attend<P>(a, at, space);
    row = last;
    __syncthreads();  // before q of the next
  }
}

// Few queries: blocks along z share the chunks of one, and the last to end joins what they found.
template <class P, int kC>
__global__ void __launch_bounds__(kPageThreads)
    paged_split_kernel(PagedAttentionArgs a, float* found, int64_t chunks, int* ended) {
  const Space<1, kC> space(dynamic_shared<float>(), a.layout.key_width);
  const Queries at = one_row(a, blockIdx.x, blockIdx.y, 1);
  const int columns = static_cast<int>(a.layout.value_width), x = static_cast<int>(threadIdx.x);
  const Span span = at.span(a, 0);
  const int64_t first = span.begin / kChunk, query = at.row * a.heads + at.head;
  constexpr int64_t kAlone = 2;  // chunks that one block takes sooner than several agree
  if ((span.end - 1) / kChunk - first < kAlone) {
    if (blockIdx.z == 0) attend<P>(a, at, space);
    return;
  }
  found += query * chunks * (columns + 2);
  load_queries(a, at, space);
  for (int64_t chunk = first + blockIdx.z; chunk * kChunk < span.end; chunk += gridDim.z) {
    take_chunk<P>(a, at, space, chunk, span.end, 0, columns);
    float* const here = found + chunk * (columns + 2);
    if (x < columns) {
      const Softmax part = chunk_of(space, 0, x);
      here[2 + x] = part.sum;
      if (x == 0) here[0] = part.top, here[1] = part.total;
    }
    __syncthreads();
  }
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (x == 0) last = atomicAdd(ended + query, 1) == static_cast<int>(gridDim.z) - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (x == 0) ended[query] = 0;  // for the next launch
  if (x >= columns) return;
  Softmax all;
  for (int64_t chunk = first; chunk * kChunk < span.end; ++chunk) {
    const float* const part = found + chunk * (columns + 2);
    all.join({__ldcg(part), __ldcg(part + 1), __ldcg(part + 2 + x)});
  }
  set_result(a, at, 0, x, all.sum / all.total);
}

constexpr int64_t kBusy = 256;  // blocks below which it is the waiting that takes time

// Long runs share keys between their rows; texts that grow by a token, between heads. Where these
// are few, so many blocks share a query that all multiprocessors have some.
Sharing sharing_of(const PagedAttentionArgs& a) {
  if (a.rows >= 4 * a.run_count) return {.heads = false, .queries = 8};
  const int64_t group = a.heads / a.layout.kv_heads, all = a.rows * a.heads;
  const int queries = group % 8 == 0 ? 8 : group % 4 == 0 ? 4 : 1;
  if (all / queries >= kBusy) return {.heads = true, .queries = queries};
  const int64_t chunks = (a.most * kPageTokens + kChunk - 1) / kChunk;
  if (all >= kBusy || chunks == 1 || a.layout.value_width > kColumns) return {.heads = true};
  return {.heads = true, .splits = static_cast<int>(std::min(chunks, kBusy / all + 1))};
}

template <int kQ, int kC>
size_t shared_bytes(const PagedAttentionArgs& a) {
  const auto width = static_cast<size_t>(a.layout.key_width);
  return ((width * kQ + 3) / 4 * 4 + Space<kQ, kC>::kFixed) * sizeof(float);
}

template <class P, int kQ, int kC>
void start_paged(OnCuda on, const PagedAttentionArgs& a, bool heads) {
  start(on,
        {.blocks = heads ? a.rows : (a.rows + kQ - 1) / kQ,
         .threads = kPageThreads,
         .shared = shared_bytes<kQ, kC>(a),
         .y = heads ? a.heads / kQ : a.heads,
         .z = (a.layout.value_width + kColumns - 1) / kColumns},
        paged_kernel<P, kQ, kC>, a, heads);
}

// How many blocks of a query have ended: zeros between launches.
int* ended_blocks(OnCuda on) {
  static int* const counts = [&] {
    int* const memory = (new Workspace(on, kBusy * sizeof(int)))->as<int>();
    check(cudaMemsetAsync(memory, 0, kBusy * sizeof(int), device_of(on).stream()), "zeros");
    return memory;
  }();
  return counts;
}

template <class P, int kC>
void start_split(OnCuda on, const PagedAttentionArgs& a, int splits) {
  const int64_t chunks = (a.most * kPageTokens + kChunk - 1) / kChunk;
  const Workspace found(on, sizeof(float) * static_cast<size_t>(a.rows * a.heads * chunks *
                                                                (a.layout.value_width + 2)));
  start(on,
        {.blocks = a.rows,
         .threads = kPageThreads,
         .shared = shared_bytes<1, kC>(a),
         .y = a.heads,
         .z = splits},
        paged_split_kernel<P, kC>, a, found.as<float>(), chunks, ended_blocks(on));
}

}  // namespace

void run(OnCuda on, const CacheRowsArgs& a) {
  const PageLayout& l = a.layout;
  for_page_type(l.type, [&]<class P>() {
    each(on, a.count * l.kv_heads * (l.key_width + l.value_width), CacheAt<P>{a});
  });
}

void run(OnCuda on, const PagedAttentionArgs& a) {
  if (paged_rows(on, a)) return;
  const Sharing sharing = sharing_of(a);
  for_page_type(a.layout.type, [&]<class P>() {
    const auto by = [&]<int kQ, int kC>() {
      if (kQ == 1 && sharing.splits > 1) return start_split<P, kC>(on, a, sharing.splits);
      start_paged<P, kQ, kC>(on, a, sharing.heads);
    };
    const auto by_width = [&]<int kQ>() {
      if (a.layout.value_width <= 64) return by.template operator()<kQ, 2>();
      if (a.layout.value_width <= 128) return by.template operator()<kQ, 4>();
      by.template operator()<kQ, 8>();
    };
    if (sharing.queries == 8) return by_width.template operator()<8>();
    if (sharing.queries == 4) return by_width.template operator()<4>();
    by_width.template operator()<1>();
  });
}

}  // namespace jogak::cuda
