// Products with small integers by AMX: tiles of 16 rows and 64 steps of k times tiles of 64 steps
// and 16 outputs, whose codes lie in a packed matrix as the instruction wants them. The same whole
// numbers as everywhere.
#if defined(JOGAK_OPS_PACKED_AMX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_PACKED_AMX_INL_H_
#undef JOGAK_OPS_PACKED_AMX_INL_H_
#else
#define JOGAK_OPS_PACKED_AMX_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/kernels/amx_tiles-inl.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/packed-inl.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

constexpr int64_t kTileSteps = 64, kTileHigh = 16;  // of k, and rows
constexpr int64_t kMostBlock = 128;                 // columns of a block

// With few rows tiles are mostly empty; short blocks would not fill them either.
inline bool TilesPay(int64_t m, const PackedLayout& layout) {
  return m >= 8 && layout.block % kTileSteps == 0;
}

struct TileSums {  // of upper and of lower bytes, two tiles of outputs each
  alignas(64) int32_t high[kTileHigh][PackedLayout::kTile], low[kTileHigh][PackedLayout::kTile];
};

// Sixteen rows, whose planes lie `row_bytes` apart, times one block of 32 outputs. Values of 8 bits
// are lower bytes alone.
template <bool kUpper>
void BlockTiles(const Rounded& first_row, int64_t at, int64_t row_bytes, const std::byte* codes,
                int64_t block, TileSums& out) {
  constexpr int64_t kBytes = PackedLayout::kTile * sizeof(int32_t);
  TileZero<0>(), TileZero<1>(), TileZero<2>(), TileZero<3>();
  for (int64_t k = 0; k < block; k += kTileSteps) {
    const std::byte* const here = codes + k / 4 * PackedLayout::kLine;
    TileLoad<6>(here, PackedLayout::kLine);
    TileLoad<7>(here + 64, PackedLayout::kLine);
    if (kUpper) {
      TileLoad<4>(first_row.first + at + k, row_bytes);
      TileDotBytes<0, 4, 6>();
      TileDotBytes<1, 4, 7>();
    }
    TileLoad<5>(first_row.second + at + k, row_bytes);
    TileDotBytes<2, 5, 6>();
    TileDotBytes<3, 5, 7>();
  }
  if (kUpper) TileStore<0>(out.high[0], kBytes), TileStore<1>(out.high[0] + kLanes, kBytes);
  TileStore<2>(out.low[0], kBytes), TileStore<3>(out.low[0] + kLanes, kBytes);
}

// What Tile of gemm_packed_cpu.cpp does with the sums of a block.
template <bool kUpper>
void AddBlock(const PackedLayout& layout, const std::byte* start, const Rounded* rows,
              int64_t count, int64_t b, const TileSums& whole, float* sums) {
  const auto* const scales = reinterpret_cast<const float*>(start);
  const auto* const zeros = reinterpret_cast<const int32_t*>(scales + PackedLayout::kTile);
  for (int64_t v = 0; v < PackedLayout::kTile; v += kLanes) {
    const VF scale = hn::LoadU(DF(), scales + v);
    const VI zero = layout.with_zeros ? hn::LoadU(DI(), zeros + v) : hn::Zero(DI());
    for (int64_t r = 0; r < count; ++r) {
      VI all = hn::Load(DI(), whole.low[r] + v);
      if (kUpper) all = hn::Add(all, hn::ShiftLeft<8>(hn::Load(DI(), whole.high[r] + v)));
      const VI zeros = layout.with_zeros ? hn::Mul(zero, hn::Set(DI(), rows[r].sums[b]))
                                         : hn::Set(DI(), layout.zero() * rows[r].sums[b]);
      const VI exact = hn::Sub(all, zeros);
      float* const sum = sums + r * PackedLayout::kTile + v;
      hn::Store(hn::MulAdd(hn::ConvertTo(DF(), exact),
                           hn::Mul(scale, hn::Set(DF(), rows[r].scales[b])), hn::Load(DF(), sum)),
                DF(), sum);
    }
  }
}

// Rows [begin, end) of C for one tile of 32 outputs. sums: 32 for each row.
template <bool kUpper>
void TileOfOutputs(const Product& p, int64_t begin, int64_t end, int64_t row_bytes, int64_t tile,
                   float* sums, const cpu::PartDone* done) {
  const PackedLayout& layout = p.layout;
  const std::byte* start = p.tiles + tile * layout.tile_bytes();
  alignas(64) std::byte bytes[kMostBlock * PackedLayout::kTile];
  TileSums whole[2];  // in turn: one is read while the other is made
  std::fill(sums, sums + (end - begin) * PackedLayout::kTile, 0.f);
  for (int64_t b = 0; b < layout.blocks; ++b, start += layout.block_bytes()) {
    const std::byte* codes = start + layout.codes_at();
    if (layout.bits == 4) UnpackCodes(codes, layout.block, bytes), codes = bytes;
    for (int64_t r = begin; r < end; r += kTileHigh) {
      TileSums& out = whole[r / kTileHigh % 2];
      BlockTiles<kUpper>(p.rows[r], b * layout.block, row_bytes, codes, layout.block, out);
      AddBlock<kUpper>(layout, start, p.rows + r, std::min(kTileHigh, end - r), b, out,
                       sums + (r - begin) * PackedLayout::kTile);
    }
  }
  const int64_t first = tile * PackedLayout::kTile,
                cols = std::min(PackedLayout::kTile, p.n - first);
  if (done)
    return done->call(done->with, sums, PackedLayout::kTile, {begin, end - begin, first, cols});
  for (int64_t r = begin; r < end; ++r)
    std::copy_n(sums + (r - begin) * PackedLayout::kTile, cols, p.c + r * p.c_row + first);
}

inline void PackedTiles(const Product& p, int64_t m, int64_t row_bytes, const cpu::PartDone* done) {
  constexpr int64_t kBlockRows = 128;  // their sums stay in the first cache
  const int64_t blocks = (m + kBlockRows - 1) / kBlockRows;
  const cpu::ThreadWorkspace sums(sizeof(float) * kBlockRows * PackedLayout::kTile);
  parallel_for(p.layout.tiles() * blocks, 1, [&](int64_t begin, int64_t end) {
    UseTiles();
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task % blocks * kBlockRows;
      const int64_t tile = task / blocks, end_row = std::min(m, row + kBlockRows);
      auto* const outputs = p.layout.value_bits == 8 ? TileOfOutputs<false> : TileOfOutputs<true>;
      outputs(p, row, end_row, row_bytes, tile, sums.mine<float>(), done);
    }
    LeaveTiles();
  });
}

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
