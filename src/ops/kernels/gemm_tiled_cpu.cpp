// Rows in f32 times weights in tiles of floats (tensor/tiles.h), which are read from front to back:
// nothing is transposed or packed. Sums run in order of k as in every other product.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_tiled_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/simd-inl.h"
#include "tensor/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {
namespace tiles {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kVectors = static_cast<int>(FloatTiles::kRows) / kLanes;  // across a tile
// Sums that stay in registers: AVX-512 has 32 of them, others 16.
constexpr int kSums = HWY_TARGET <= HWY_AVX3 ? 24 : 12;
constexpr int kMostRows = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

constexpr int VectorsFor(int rows) { return std::min(kVectors, kSums / rows); }

// Part of a product: rows of A times a stretch of k of one tile.
struct Part {
  const float* a;  // the first row, at the first k
  int64_t a_row;
  const float* b;  // [k][width]
  int64_t width, k;
  float* c;  // the first row, at the tile's first column
  int64_t c_row, cols;
  bool add;
  const float* ahead;  // what is needed next: a line is asked for with every step of k
};

// kStream: the tile comes from memory now, and lines of it are asked for beforehand.
template <int kR, int kV, bool kStream>
HWY_INLINE void Columns(const Part& p, int64_t first) {
  constexpr int64_t kAhead = 768;  // floats
  constexpr int64_t kLine = 16;
  const D d;
  V sum[kR][kV];
#pragma GCC unroll 8
  for (int r = 0; r < kR; ++r)
#pragma GCC unroll 12
    for (int v = 0; v < kV; ++v) sum[r][v] = hn::Zero(d);
  const float* b = p.b + first;
  const float* a = p.a;
  const float* ahead = p.ahead;
  for (int64_t k = 0; k < p.k; ++k, b += p.width, ++a) {
    V w[kV];
#pragma GCC unroll 12
    for (int v = 0; v < kV; ++v) {
      if (kStream && v * kLanes % kLine == 0) __builtin_prefetch(b + v * kLanes + kAhead, 0, 2);
      w[v] = hn::LoadU(d, b + v * kLanes);
    }
    if (!kStream) {
      __builtin_prefetch(ahead, 0, 2);
      ahead += kLine;
    }
#pragma GCC unroll 8
    for (int r = 0; r < kR; ++r) {
      const V x = hn::Set(d, a[r * p.a_row]);
#pragma GCC unroll 12
      for (int v = 0; v < kV; ++v) sum[r][v] = hn::MulAdd(x, w[v], sum[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kR; ++r)
#pragma GCC unroll 12
    for (int v = 0; v < kV; ++v) {
      const int64_t at = first + v * kLanes, left = p.cols - at;
      float* const c = p.c + r * p.c_row + at;
      if (left >= kLanes)
        hn::StoreU(p.add ? hn::Add(hn::LoadU(d, c), sum[r][v]) : sum[r][v], d, c);
      else if (left > 0) {
        const auto n = static_cast<size_t>(left);
        StoreTail(p.add ? hn::Add(LoadTail(d, c, n), sum[r][v]) : sum[r][v], d, c, n);
      }
    }
}

template <int kR, bool kStream>
HWY_NOINLINE void RowsOf(const Part& p) {
  constexpr int kV = VectorsFor(kR);
  int64_t at = 0;
  for (; at + kV * kLanes <= p.width; at += kV * kLanes) Columns<kR, kV, kStream>(p, at);
  for (; at < p.width; at += kLanes) Columns<kR, 1, kStream>(p, at);
}

template <int kR>
int64_t Some(const Part& p, bool stream) {
  stream ? RowsOf<kR, true>(p) : RowsOf<kR, false>(p);
  return kR;
}

// All rows times a stretch of a tile. The first few meet it as it comes from memory, the others in
// the cache, while the next stretch is on its way.
void AllRows(Part p, int64_t rows, bool more_after) {
  const float* const next = p.b + p.k * p.width;
  bool stream = true;
  int64_t fetched = 0;
  const int64_t lines = more_after ? p.k * p.width / 16 : 0;
  while (rows > 0) {
    p.ahead = next + std::min(fetched, std::max<int64_t>(lines - p.k, 0)) * 16;
    int64_t done;
    if (kMostRows == 8 && rows >= 8)
      done = Some<kMostRows>(p, stream);
    else if (rows >= 4)
      done = Some<4>(p, stream);
    else
      done = rows >= 2 ? Some<2>(p, stream) : Some<1>(p, stream);
    if (!stream) fetched += p.k;
    stream = false;
    rows -= done, p.a += done * p.a_row, p.c += done * p.c_row;
  }
}

// Rows [i, i + rows) times one tile.
void Tile(const Gemm& g, int64_t i, int64_t rows, int64_t tile, bool more_after) {
  const int64_t first = tile * FloatTiles::kRows;
  const int64_t width = FloatTiles::width(g.n, first);
  const auto* const b =
      reinterpret_cast<const float*>(static_cast<const std::byte*>(g.b) + FloatTiles::kHead) +
      first * g.k;
  for (int64_t k0 = 0; k0 < g.k; k0 += kGemmChunk) {
    const int64_t count = std::min(kGemmChunk, g.k - k0);
    AllRows({.a = static_cast<const float*>(g.a) + i * g.a_row + k0,
             .a_row = g.a_row,
             .b = b + k0 * width,
             .width = width,
             .k = count,
             .c = static_cast<float*>(g.c) + i * g.c_row + first,
             .c_row = g.c_row,
             .cols = std::min(width, g.n - first),
             .add = g.accumulate || k0 > 0,
             .ahead = nullptr},
            rows, more_after || k0 + count < g.k);
  }
}

}  // namespace tiles
}  // namespace

void GemmTiled(const Gemm& g) {
  constexpr int64_t kRowsAtOnce = 256;  // of A: what the second cache keeps of them
  constexpr int64_t kRun = 1 << 16;     // floats of weights that a thread reads at least
  const int64_t count = (g.n + FloatTiles::kRows - 1) / FloatTiles::kRows;
  const int64_t blocks = (g.m + kRowsAtOnce - 1) / kRowsAtOnce, threads = thread_count();
  const int64_t least = (kRun + g.k * FloatTiles::kRows - 1) / (g.k * FloatTiles::kRows);
  // Long runs for each thread, which memory gives faster, and a few of them.
  const int64_t run = g.m > 32
                          ? 1
                          : std::clamp<int64_t>(count / (4 * threads), least,
                                                std::max((count + threads - 1) / threads, least));
  const int64_t runs = (count + run - 1) / run;
  parallel_for(runs * blocks, 1, [&](int64_t piece, int64_t) {
    const int64_t i = piece / runs * kRowsAtOnce, begin = piece % runs * run;
    const int64_t end = std::min(count, begin + run);
    for (int64_t tile = begin; tile < end; ++tile)
      tiles::Tile(g, i, std::min(kRowsAtOnce, g.m - i), tile, tile + 1 < end);
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmTiled);

void gemm_tiled(const Gemm& g) { HWY_DYNAMIC_DISPATCH(GemmTiled)(g); }

}  // namespace jogak::cpu
#endif
