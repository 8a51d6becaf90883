// Attention in bf16 and f16 by tensor cores: the softmax is carried along over tiles of keys, and
// weights live in registers alone.
#include "ops/kernels/attention_fast.cuh"

namespace jogak::cuda {
namespace {

constexpr int kKeys = 64;  // of a tile
constexpr int kFewKeys =
    16;  // of the last, where no more are left: a square of patches and a class

// A warp has 16 kM queries.
template <class T, int kWidth, int kM, Extra kExtra>
__global__ void __launch_bounds__(kFastThreads, kAtOnce<kWidth>)
    fast_attention_kernel(AttentionArgs g, DropOnDevice drop) {
  const DropRule rule = drop.now();
  constexpr int kRows = 16 * kM * kFastWarps;
  T* const memory = dynamic_shared<T>();  // queries; keys and values of two stages
  const Tile<T, kWidth> q{memory};
  const auto tile = [&](int stage, int which) {
    return Tile<T, kWidth>{memory + (kRows + (2 * stage + which) * kKeys) * kWidth};
  };
  const int64_t b = blockIdx.z, h = blockIdx.y, kv = h / (g.heads / g.kv_heads);
  const int64_t first =
      static_cast<int64_t>(gridDim.x - 1 - blockIdx.x) * kRows;  // long ones first
  const int warp_row = static_cast<int>(threadIdx.x) / 32 * 16 * kM;
  const int64_t reach = reach_of(g, first + kRows - 1);
  const int64_t warp_reach =  // nothing to do for rows that are not there
      first + warp_row < g.queries ? reach_of(g, first + warp_row + 16 * kM - 1) : 0;
  const Place<kExtra> place(g, rule, b, h);
  const auto fetch_keys = [&](int stage, int64_t from) {
    tile(stage, 0).fetch(at<T>(g.k, b, 0, kv), g.k.time, from, g.keys, kKeys, g.width);
    tile(stage, 1).fetch(at<T>(g.v, b, 0, kv), g.v.time, from, g.keys, kKeys, g.width);
  };
  q.fetch(at<T>(g.q, b, 0, h), g.q.time, first, g.queries, kRows, g.width);
  const int64_t begin = place.begin(first, kKeys);
  fetch_keys(0, begin);
  fetched();
  float out[kM][kWidth / 8][4] = {}, top[kM][2], total[kM][2] = {};
  for (int m = 0; m < kM; ++m) top[m][0] = top[m][1] = lowest<float>();
  const auto take = [&]<int kCount>(int stage, int64_t from) {
    float scores[kM][kCount / 8][4] = {};
    score_tile<T, kWidth, kM, kCount>(q, warp_row, tile(stage, 0), 0, scores);
#pragma unroll
    for (int m = 0; m < kM; ++m) {
      const int64_t row = first + warp_row + 16 * m;
      const float scale = place.mask_before_scale(row, from, scores[m]);
      carry(scale, scores[m], top[m], total[m], out[m]);
      place.drop(row, from, scores[m]);
    }
    add_rows<T, kWidth, kM, kCount>(scores, tile(stage, 1), 0, out);
  };
  int stage = 0;
  for (int64_t from = begin; from < reach; from += kKeys, stage ^= 1) {
    if (from + kKeys < reach) fetch_keys(stage ^ 1, from + kKeys);
    fetched();
    await_fetches<1>();
    __syncthreads();
    if (from + kFewKeys < warp_reach)
      take.template operator()<kKeys>(stage, from);
    else if (from < warp_reach)
      take.template operator()<kFewKeys>(stage, from);
    __syncthreads();  // before this stage is filled again
  }
  float* const lse = static_cast<float*>(g.lse) + (b * g.heads + h) * g.queries;
  for (int m = 0; m < kM; ++m) {
    const int64_t row = first + warp_row + 16 * m;
    float factor[2];
    for (int half = 0; half < 2; ++half) {
      const float sum = over_row(total[m][half], Plus());
      factor[half] = sum > 0 || sum != sum ? 1 / sum : 0;
      const int64_t mine = row + lane_row() + 8 * half;
      if (g.lse && lane_column() == 0 && mine < g.queries)
        lse[mine] = sum > 0 ? top[m][half] * kLn2 + logf(sum) : top[m][half];
    }
    store_rows<T>(g.out, b, h, row, g.queries, g.width, factor, out[m]);
  }
}

}  // namespace

bool lies_fast(std::initializer_list<HeadsView> heads) {
  return std::all_of(heads.begin(), heads.end(), [](const HeadsView& x) {
    return reinterpret_cast<uintptr_t>(x.data) % 16 == 0 && x.batch % 8 == 0 && x.time % 8 == 0 &&
           x.head % 8 == 0;
  });
}

bool takes_fast(const AttentionArgs& g) {
  return (g.dtype == DType::bf16 || g.dtype == DType::f16) && g.width % 8 == 0 && g.width <= 128 &&
         g.value_width == g.width && g.scale > 0 && g.queries > 0 && g.keys > 0 &&
         lies_fast({g.q, g.k, g.v, g.out});
}

void fast_attention(OnCuda on, const AttentionArgs& g) {
  const DropOnDevice rule(on, drop_rule(g.dropout, g.seed, g.stream));
  for_fast(g, [&]<class T, int kWidth, Extra kExtra>() {
    constexpr int kM = kWidth == 64 ? 2 : 1, kRows = 16 * kM * kFastWarps;
    start(on,
          {.blocks = (g.queries + kRows - 1) / kRows,
           .threads = kFastThreads,
           .shared = (kRows + 4 * kKeys) * kWidth * sizeof(T),
           .y = g.heads,
           .z = g.batches},
          fast_attention_kernel<T, kWidth, kM, kExtra>, g, rule);
  });
}

}  // namespace jogak::cuda
