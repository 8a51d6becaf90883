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
#include "ops/kernels/long_runs.h"
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
// Up to so many rows all meet a few lines of weights while the first cache has them, so many steps
// of k; where there are more, a whole chunk stays in the second.
constexpr int64_t kFewRows = 64, kFewSteps = 64;
constexpr int64_t kRowsAtOnce = 256;  // of A: what the second cache keeps of them

// As many vectors at a time as divide a tile.
constexpr int VectorsFor(int rows) {
  int most = std::min(kVectors, kSums / rows);
  while (kVectors % most != 0) --most;
  return most;
}

// What is asked for while rows meet weights: those themselves, some way ahead, or of what comes
// next nothing, two lines or three with every two steps of k.
enum Asked { kStream, kNothing, kTwo, kThree, kKinds };

// Part of a product: some rows of A times a stretch of k of one tile.
struct Part {
  const float* a;  // the first row, at the first k
  int64_t a_row;
  const float* b;  // [k][width]
  int64_t width, k;
  float* c;  // the first row, at the tile's first column
  int64_t c_row, cols;
  float* chains;       // [rows][48]: sums that go on behind this stretch
  bool begins, ends;   // a chain, with this stretch
  bool add;            // what has ended to what C holds
  const float* ahead;  // what is needed next
};

// A vector of chains that have ended.
HWY_INLINE void Give(const Part& p, V sum, int64_t row, int64_t at) {
  const D d;
  const int64_t left = p.cols - at;
  float* const c = p.c + row * p.c_row + at;
  if (left >= kLanes) {
    hn::StoreU(p.add ? hn::Add(hn::LoadU(d, c), sum) : sum, d, c);
  } else if (left > 0) {
    const auto n = static_cast<size_t>(left);
    StoreTail(p.add ? hn::Add(LoadTail(d, c, n), sum) : sum, d, c, n);
  }
}

template <int kR, int kV, Asked kAsked>
HWY_INLINE void Columns(const Part& p, int64_t first, const float*& ahead) {
  constexpr int64_t kAway = 768;  // floats
  constexpr int64_t kLine = 16;
  constexpr int kLines = kAsked == kTwo ? 2 : kAsked == kThree ? 3 : 0;
  const D d;
  float* const chains = p.chains + first;
  V sum[kR][kV];
#pragma GCC unroll 8
  for (int r = 0; r < kR; ++r)
#pragma GCC unroll 12
    for (int v = 0; v < kV; ++v)
      sum[r][v] =
          p.begins ? hn::Zero(d) : hn::LoadU(d, chains + r * FloatTiles::kRows + v * kLanes);
  const float* b = p.b + first;
  const float* a = p.a;
  const auto step = [&] {
    V w[kV];
#pragma GCC unroll 12
    for (int v = 0; v < kV; ++v) {
      if (kAsked == kStream && v * kLanes % kLine == 0)
        __builtin_prefetch(b + v * kLanes + kAway, 0, 2);
      w[v] = hn::LoadU(d, b + v * kLanes);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kR; ++r) {
      const V x = hn::Set(d, a[r * p.a_row]);
#pragma GCC unroll 12
      for (int v = 0; v < kV; ++v) sum[r][v] = hn::MulAdd(x, w[v], sum[r][v]);
    }
    b += p.width, ++a;
  };
  int64_t k = 0;
  for (; k + 2 <= p.k; k += 2) {
#pragma GCC unroll 3
    for (int i = 0; i < kLines; ++i) __builtin_prefetch(ahead + i * kLine, 0, 3);
    ahead += kLines * kLine;
    step();
    step();
  }
  if (k < p.k) step();
#pragma GCC unroll 8
  for (int r = 0; r < kR; ++r)
#pragma GCC unroll 12
    for (int v = 0; v < kV; ++v) {
      if (p.ends)
        Give(p, sum[r][v], r, first + v * kLanes);
      else
        hn::StoreU(sum[r][v], d, chains + r * FloatTiles::kRows + v * kLanes);
    }
}

template <int kR, Asked kAsked>
HWY_NOINLINE void RowsOf(const Part& p) {
  constexpr int kV = VectorsFor(kR);
  const float* ahead = p.ahead;
  int64_t at = 0;
  for (; at + kV * kLanes <= p.width; at += kV * kLanes) Columns<kR, kV, kAsked>(p, at, ahead);
  for (; at < p.width; at += kLanes) Columns<kR, 1, kAsked>(p, at, ahead);
}

using Kernel = void (*)(const Part&);

template <int kR>
Kernel OfRows(Asked asked) {
  constexpr Kernel kAll[kKinds] = {RowsOf<kR, kStream>, RowsOf<kR, kNothing>, RowsOf<kR, kTwo>,
                                   RowsOf<kR, kThree>};
  return kAll[asked];
}

Kernel KernelFor(int64_t rows, Asked asked) {
#if HWY_TARGET <= HWY_AVX3
  static_assert(kMostRows == 8);
  if (rows == 8) return OfRows<8>(asked);
  if (rows == 7) return OfRows<7>(asked);
  if (rows == 6) return OfRows<6>(asked);
  if (rows == 5) return OfRows<5>(asked);
#endif
  if (rows == 4) return OfRows<4>(asked);
  if (rows == 3) return OfRows<3>(asked);
  return rows == 2 ? OfRows<2>(asked) : OfRows<1>(asked);
}

// All rows times a stretch of a tile, in groups of about as many. A single group meets it as it
// comes from memory. Several all meet it in the cache, and share in asking for the next stretch:
// memory is read all the time, and no group waits for it.
void AllRows(Part p, int64_t rows, bool more_after) {
  const float* const next = p.b + p.k * p.width;
  const int64_t groups = (rows + kMostRows - 1) / kMostRows;
  const int64_t passes = kVectors / VectorsFor(kMostRows);  // of a group over the stretch
  const Asked share = groups * passes == 2 ? kThree : kTwo;
  const int64_t lines = more_after ? p.k * p.width / 16 : 0;
  int64_t asked = 0;
  for (int64_t group = 0; group < groups; ++group) {
    const int64_t count = rows / groups + (group < rows % groups);
    p.ahead = next + asked * 16;
    KernelFor(count, groups == 1 ? kStream : asked < lines ? share : kNothing)(p);
    asked += (share == kThree ? 3 : 2) * (p.k / 2) * passes;
    p.a += count * p.a_row, p.c += count * p.c_row, p.chains += count * FloatTiles::kRows;
  }
}

// Rows [i, i + rows) times one tile.
void Tile(const Gemm& g, int64_t i, int64_t rows, int64_t tile, bool more_after) {
  HWY_ALIGN float chains[kRowsAtOnce * FloatTiles::kRows];
  const int64_t first = tile * FloatTiles::kRows;
  const int64_t width = FloatTiles::width(g.n, first);
  const int64_t steps = rows > kMostRows && rows <= kFewRows ? kFewSteps : kGemmChunk;
  const auto* const b =
      reinterpret_cast<const float*>(static_cast<const std::byte*>(g.b) + FloatTiles::kHead) +
      first * g.k;
  for (int64_t k = 0; k < g.k; k += steps) {
    const int64_t count = std::min(steps, g.k - k), chunk = k / kGemmChunk * kGemmChunk;
    AllRows({.a = static_cast<const float*>(g.a) + i * g.a_row + k,
             .a_row = g.a_row,
             .b = b + k * width,
             .width = width,
             .k = count,
             .c = static_cast<float*>(g.c) + i * g.c_row + first,
             .c_row = g.c_row,
             .cols = std::min(width, g.n - first),
             .chains = chains,
             .begins = k == chunk,
             .ends = k + count == std::min(g.k, chunk + kGemmChunk),
             .add = g.accumulate || chunk > 0,
             .ahead = nullptr},
            rows, more_after || k + count < g.k);
  }
}

}  // namespace tiles
}  // namespace

void GemmTiled(const Gemm& g) {
  constexpr int64_t kBytes = FloatTiles::kRows * sizeof(float);  // of a tile's step of k
  const int64_t count = (g.n + FloatTiles::kRows - 1) / FloatTiles::kRows;
  const int64_t blocks = (g.m + tiles::kRowsAtOnce - 1) / tiles::kRowsAtOnce;
  const LongRuns runs(count, std::max<int64_t>(g.k, 1) * kBytes);
  parallel_for(runs.runs() * blocks, 1, [&](int64_t piece, int64_t) {
    const int64_t i = piece / runs.runs() * tiles::kRowsAtOnce;
    const auto [begin, end] = runs[piece % runs.runs()];
    for (int64_t tile = begin; tile < end; ++tile)
      tiles::Tile(g, i, std::min(tiles::kRowsAtOnce, g.m - i), tile, tile + 1 < end);
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
