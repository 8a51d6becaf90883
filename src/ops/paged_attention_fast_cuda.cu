// Attention over pages for the rows of prompts, in bf16 and f16 by tensor cores: tiles of keys and
// values are narrowed on their way from the pages to shared memory.
#include "ops/kernels/attention_fast.cuh"
#include "ops/kernels/paged_attention.cuh"

namespace jogak::cuda {
namespace {

constexpr int kTileRows = 16 * kFastWarps;            // queries of a block
constexpr int kKeys = static_cast<int>(kPageTokens);  // of a tile: one page

// Up to kTileRows rows of one run; none: the block has nothing to do.
struct RowTile {
  int64_t run = 0, first = 0, end = 0;
  __device__ __forceinline__ bool none() const { return first == end; }
};

// Which rows a block has: runs are cut into tiles one after the other.
__device__ __forceinline__ RowTile row_tile(const PagedAttentionArgs& a, int64_t block) {
  for (int64_t run = 0; run < a.run_count; ++run) {
    const int64_t first = a.runs[4 * run], rows = a.runs[4 * run + 1];
    const int64_t tiles = (rows + kTileRows - 1) / kTileRows;
    if (block < tiles) {
      const int64_t from = first + block * kTileRows, end = first + rows;
      return {run, from, from + kTileRows < end ? from + kTileRows : end};
    }
    block -= tiles;
  }
  return {};
}

// What the rows of a run see.
struct RunPlace {
  const PagedAttentionArgs& a;
  int64_t head, first, position, stride;  // of the run
  float scale;

  __device__ RunPlace(const PagedAttentionArgs& args, int64_t run, int64_t h)
      : a(args),
        head(h),
        first(args.runs[4 * run]),
        position(args.runs[4 * run + 2]),
        stride(args.runs[4 * run + 3]),
        scale(static_cast<float>(args.scale) * kLog2e) {}

  __device__ __forceinline__ int64_t place(int64_t row) const {
    return position + (row - first) * stride;
  }
  __device__ __forceinline__ int64_t begin(int64_t row) const {
    const int64_t seen = a.window > 0 ? place(row) + 1 - a.window : 0;
    return seen > 0 ? seen : 0;
  }

  __device__ __forceinline__ float score(int64_t row, int64_t key, float product) const {
    if (key > place(row) || key < begin(row)) return lowest<float>();
    float x = product * scale;
    const float cap = static_cast<float>(a.cap) * kLog2e;
    if (a.cap > 0) x = cap * tanhf(x / cap);
    return x + kLog2e * added_score(a, head, place(row), key);
  }

  // Products of rows row .. row + 15 and keys from .. become scores.
  template <int kTiles>
  __device__ __forceinline__ void mask(int64_t row, int64_t from, float (&x)[kTiles][4]) const {
    const bool plain = a.cap == 0 && a.window == 0 && !a.bias.data && !a.distances.data &&
                       from + 8 * kTiles - 1 <= place(row);
#pragma unroll
    for (int n = 0; n < kTiles; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        x[n][i] = plain ? x[n][i] * scale
                        : score(row + lane_row() + i / 2 * 8, from + 8 * n + lane_column() + i % 2,
                                x[n][i]);
  }
};

template <class T>
__device__ __forceinline__ uint4 narrowed(const float (&x)[8]) {
  return {packed<T>(x[0], x[1]), packed<T>(x[2], x[3]), packed<T>(x[4], x[5]),
          packed<T>(x[6], x[7])};
}

// Keys of a page lie with their tokens side by side: a thread narrows 8 numbers of one token.
template <class T, class P, int kWidth>
__device__ __forceinline__ void load_keys(const P* keys, int width, const Tile<T, kWidth>& to) {
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < kKeys * kWidth / 8; i += kFastThreads) {
    const int token = i % kKeys, p = i / kKeys;
    float x[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      x[j] = 8 * p < width ? wide(__ldg(keys + (8 * p + j) * kKeys + token)) : 0.0f;
    *reinterpret_cast<uint4*>(to.piece(token, p)) = narrowed<T>(x);
  }
}

// Values lie token by token; behind `count` of them may be anything, and zeros are taken.
template <class T, class P, int kWidth>
__device__ __forceinline__ void load_values(const P* values, int width, int64_t count,
                                            const Tile<T, kWidth>& to) {
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < kKeys * kWidth / 8; i += kFastThreads) {
    const int token = i / (kWidth / 8), p = i % (kWidth / 8);
    Pack<float, 8> x = {};
    if (8 * p < width && token < count) x = load_even<8>(values + token * width + 8 * p);
    *reinterpret_cast<uint4*>(to.piece(token, p)) = narrowed<T>(x.at);
  }
}

// A block has a tile of rows of one head; pages pass by.
template <class T, class P, int kWidth>
__global__ void __launch_bounds__(kFastThreads) paged_rows_kernel(PagedAttentionArgs a) {
  const RowTile rows = row_tile(a, blockIdx.x);
  if (rows.none()) return;
  T* const memory = dynamic_shared<T>();
  const Tile<T, kWidth> q{memory}, k{memory + kTileRows * kWidth},
      v{memory + (kTileRows + kKeys) * kWidth};
  const PageLayout& l = a.layout;
  const int width = static_cast<int>(l.key_width);
  const int64_t h = blockIdx.y, kv = h / (a.heads / l.kv_heads);
  const RunPlace place(a, rows.run, h);
  const int64_t* const pages = a.pages + rows.run * a.most;
  q.fetch(static_cast<const T*>(a.q) + h * a.q_head, a.q_row, rows.first, rows.end, kTileRows,
          width);
  fetched();
  const int64_t reach = place.place(rows.end - 1) + 1;
  const int64_t row = rows.first + static_cast<int64_t>(threadIdx.x) / 32 * 16;  // of this warp
  float out[1][kWidth / 8][4] = {}, top[2] = {lowest<float>(), lowest<float>()}, total[2] = {};
  for (int64_t from = place.begin(rows.first) / kKeys * kKeys; from < reach; from += kKeys) {
    const int64_t page = __ldg(pages + from / kKeys);
    __syncthreads();  // before tiles are filled again
    load_keys(keys_in<const P>(page, l) + kv * width * kKeys, width, k);
    load_values(values_in<const P>(page, l) + kv * kKeys * width, width, reach - from, v);
    await_fetches<0>();
    __syncthreads();
    if (row >= rows.end) continue;
    float scores[1][kKeys / 8][4] = {};
    score_tile<T, kWidth, 1, kKeys>(q, static_cast<int>(row - rows.first), k, 0, scores);
    place.mask(row, from, scores[0]);
    carry(1, scores[0], top, total, out[0]);
    add_rows<T, kWidth, 1, kKeys>(scores, v, 0, out);
  }
  if (row >= rows.end) return;
  float factor[2];
  for (int half = 0; half < 2; ++half) factor[half] = 1 / over_row(total[half], Plus());
  store_rows<T>({a.out, 0, a.heads * width, width}, 0, h, row, rows.end, width, factor, out[0]);
}

}  // namespace

bool paged_rows(OnCuda on, const PagedAttentionArgs& a) {
  const PageLayout& l = a.layout;
  const bool lies = reinterpret_cast<uintptr_t>(a.q) % 16 == 0 && a.q_row % 8 == 0 &&
                    a.q_head % 8 == 0 && l.first % 4 == 0;
  if ((a.dtype != DType::bf16 && a.dtype != DType::f16) || !lies || l.key_width != l.value_width ||
      l.key_width % 8 != 0 || l.key_width > 128 || a.rows < 4 * a.run_count)
    return false;
  const auto by = [&]<class T, class P, int kWidth>() {
    start(on,
          {.blocks = a.rows / kTileRows + a.run_count,  // no run has more tiles than these
           .threads = kFastThreads,
           .shared = (kTileRows + 2 * kKeys) * kWidth * sizeof(T),
           .y = a.heads},
          paged_rows_kernel<T, P, kWidth>, a);
  };
  const auto width = [&]<class T>() {
    for_page_type(l.type, [&]<class P>() {
      l.key_width <= 64 ? by.template operator()<T, P, 64>() : by.template operator()<T, P, 128>();
    });
  };
  a.dtype == DType::bf16 ? width.template operator()<__nv_bfloat16>()
                         : width.template operator()<__half>();
  return true;
}

}  // namespace jogak::cuda
