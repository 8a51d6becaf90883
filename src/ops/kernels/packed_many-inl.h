// Products of many rows, whose values are rounded to 8 bits, with small integers by AVX-512 VNNI.
// They lie as the kernel meets them: of twelve rows the bytes of four columns side by side. The
// same whole numbers as everywhere.
#if defined(JOGAK_OPS_PACKED_MANY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_PACKED_MANY_INL_H_
#undef JOGAK_OPS_PACKED_MANY_INL_H_
#else
#define JOGAK_OPS_PACKED_MANY_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/packed-inl.h"
#include "ops/kernels/turn-inl.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

constexpr int64_t kMany = 9;                    // rows from which this pays
constexpr int kLines = 12;                      // rows: with two vectors of outputs 24 sums
constexpr int64_t kLineBytes = 4 * kLines;      // of four columns
constexpr int64_t kWide = PackedLayout::kTile;  // outputs at a time
constexpr int64_t kSweep =
    192;  // rows that meet a tile of codes while it is near; half if it is deep
constexpr int64_t kNear = 768;  // columns of a tile that stay in the first cache

// Where a group of rows lies: its bytes, then scales and sums of its blocks, row by row.
struct Groups {
  std::byte* data;
  int64_t wide, blocks;

  Groups(std::byte* at, const PackedLayout& layout)
      : data(at), wide(layout.block * layout.blocks), blocks(layout.blocks) {}
  int64_t group_bytes() const { return (wide + 8 * blocks) * kLines; }
  uint8_t* codes(int64_t group) const {
    return reinterpret_cast<uint8_t*>(data + group * group_bytes());
  }
  float* scales(int64_t group) const {
    return reinterpret_cast<float*>(codes(group) + wide * kLines);
  }
  int32_t* sums(int64_t group) const {
    return reinterpret_cast<int32_t*>(scales(group) + kLines * blocks);
  }
};

// What is rounded of one block of a group, before it is woven: a line's columns side by side.
struct BlockLines {
  alignas(64) uint8_t at[kLines][PackedLayout::kTile * 4];
};

// A whole block of a row as RoundBlock does it: the largest by its bits, which tell what is not
// finite, too.
HWY_INLINE void RoundWhole(const float* x, const PackedLayout& layout, uint8_t* out, float& scale,
                           int32_t& sum) {
  const hn::Rebind<uint8_t, DI> bytes;
  const VI without_sign = hn::Set(DI(), 0x7FFFFFFF);
  VI most_bits = hn::Zero(DI());
  for (int64_t i = 0; i < layout.block; i += kLanes)
    most_bits =
        hn::Max(most_bits, hn::And(hn::BitCast(DI(), hn::LoadU(DF(), x + i)), without_sign));
  const int32_t bits = hn::GetLane(hn::MaxOfLanes(DI(), most_bits));
  const auto most = std::bit_cast<float>(bits);
  const bool finite = bits < 0x7F800000, any = finite && most > 1e-30f;
  const float steps = MostOf(layout);
  scale = finite ? most / steps : NAN;
  const VF by = hn::Set(DF(), any ? steps / most : 0.f);
  VI all = hn::Zero(DI());
  for (int64_t i = 0; i < layout.block; i += kLanes) {
    VI near;
    const VF value = any ? hn::Mul(hn::LoadU(DF(), x + i), by) : hn::Zero(DF());
    asm("vcvtps2dq %1, %0" : "=v"(near.raw) : "v"(value.raw));
    all = hn::Add(all, near);
    hn::StoreU(hn::TruncateTo(bytes, hn::BitCast(DU(), near)), bytes, out + i);
  }
  sum = hn::GetLane(hn::SumOfLanes(DI(), all));
}

// Lines of a block, the words of four columns side by side.
HWY_INLINE void WeaveLines(const BlockLines& lines, int64_t block, uint8_t* to) {
  constexpr int64_t kColumns = 64;  // whose words fill a vector
  int64_t k = 0;
  for (; k + kColumns <= block; k += kColumns) {
    turn::V v[turn::kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < turn::kLanes; ++i)
      v[i] = i < kLines ? hn::LoadU(DF(), reinterpret_cast<const float*>(lines.at[i] + k))
                        : hn::Zero(DF());
    turn::Transpose(v);
#pragma GCC unroll 16
    for (int i = 0; i < turn::kLanes; ++i)
      hn::BlendedStore(v[i], hn::FirstN(DF(), kLines), DF(),
                       reinterpret_cast<float*>(to + (k / 4 + i) * kLineBytes));
  }
  for (; k < block; k += 4)
    for (int i = 0; i < kLines; ++i)
      std::memcpy(to + k / 4 * kLineBytes + 4 * i, lines.at[i] + k, 4);
}

inline void RoundGroup(const Gemm& g, const PackedLayout& layout, const Groups& all,
                       int64_t group) {
  BlockLines lines;
  uint8_t unused[sizeof(lines.at[0])];
  const int64_t there = std::min<int64_t>(kLines, g.m - group * kLines);
  for (int64_t r = there; r < kLines; ++r) std::memset(lines.at[r], 0, sizeof(unused));
  std::fill_n(all.scales(group), 2 * kLines * layout.blocks, 0.f);  // sums are 0, too
  for (int64_t b = 0; b < layout.blocks; ++b) {
    const int64_t at = b * layout.block, count = std::min<int64_t>(layout.block, g.k - at);
    for (int64_t r = 0; r < there; ++r) {
      const float* const x = static_cast<const float*>(g.a) + (group * kLines + r) * g.a_row + at;
      float& scale = all.scales(group)[b * kLines + r];
      int32_t& sum = all.sums(group)[b * kLines + r];
      if (count == layout.block && count % kLanes == 0)
        RoundWhole(x, layout, lines.at[r], scale, sum);
      else
        RoundBlock<ByBytes>(x, count, layout, unused, lines.at[r], scale, sum);
      sum *= layout.with_zeros ? 1 : -layout.zero();
    }
    WeaveLines(lines, layout.block, all.codes(group) + at * kLines);
  }
}

// Four columns: kCount lines times 32 outputs.
template <int kCount>
HWY_INLINE void ManyStep(const std::byte* codes, const uint8_t* x, VI (&sums)[kCount][2]) {
  const VU first = hn::LoadU(DU(), reinterpret_cast<const uint32_t*>(codes)),
           second = hn::LoadU(DU(), reinterpret_cast<const uint32_t*>(codes + 64));
#pragma GCC unroll 12
  for (int i = 0; i < kCount; ++i) {
    int32_t four;
    std::memcpy(&four, x + 4 * i, 4);
    const VI value = hn::Set(DI(), four);
    asm("vpdpbusd %2, %1, %0" : "+v"(sums[i][0].raw) : "v"(first.raw), "v"(value.raw));
    asm("vpdpbusd %2, %1, %0" : "+v"(sums[i][1].raw) : "v"(second.raw), "v"(value.raw));
  }
}

// A tile of 32 outputs, its codes in bytes, over blocks [first, last) of k.
struct ManyCodes {
  const std::byte* start;  // of block 0
  int64_t block_bytes, first, last;
};

// kCount rows of a group times a tile: rows of 32 sums, which go on where they were.
template <int kCount>
HWY_NOINLINE void ManyTile(const PackedLayout& layout, const ManyCodes& tile, const Groups& all,
                           int64_t group, float* out) {
  const uint8_t* x = all.codes(group) + tile.first * layout.block * kLines;
  const float* scales = all.scales(group) + tile.first * kLines;
  const int32_t* offsets = all.sums(group) + tile.first * kLines;
  const std::byte* start = tile.start + tile.first * tile.block_bytes;
  for (int64_t b = tile.first; b < tile.last; ++b, start += tile.block_bytes) {
    const auto* const own = reinterpret_cast<const float*>(start);
    VI sums[kCount][2];
#pragma GCC unroll 12
    for (int r = 0; r < kCount; ++r)
      sums[r][0] = sums[r][1] = !layout.with_zeros ? hn::Set(DI(), offsets[r]) : hn::Zero(DI());
    const std::byte* codes = start + layout.codes_at();
    for (int64_t k = 0; k < layout.block; k += 8) {
      ManyStep<kCount>(codes, x, sums);
      ManyStep<kCount>(codes + PackedLayout::kLine, x + kLineBytes, sums);
      codes += 2 * PackedLayout::kLine, x += 2 * kLineBytes;
    }
    if (layout.with_zeros)
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        const VI zero = hn::LoadU(DI(), reinterpret_cast<const int32_t*>(own + kWide) + v * kLanes);
#pragma GCC unroll 12
        for (int r = 0; r < kCount; ++r)
          sums[r][v] = hn::Sub(sums[r][v], hn::Mul(zero, hn::Set(DI(), offsets[r])));
      }
    const VF scale[2] = {hn::LoadU(DF(), own), hn::LoadU(DF(), own + kLanes)};
#pragma GCC unroll 12
    for (int r = 0; r < kCount; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        const VI exact = sums[r][v];
        float* const sum = out + r * kWide + v * kLanes;
        const VF before = b == 0 ? hn::Zero(DF()) : hn::LoadU(DF(), sum);
        hn::StoreU(hn::MulAdd(hn::ConvertTo(DF(), exact),
                              hn::Mul(scale[v], hn::Set(DF(), scales[r])), before),
                   DF(), sum);
      }
    scales += kLines, offsets += kLines;
  }
}

inline void ManyRows(int64_t rows, const PackedLayout& layout, const ManyCodes& tile,
                     const Groups& all, int64_t group, float* out) {
  if (rows > 8)
    ManyTile<12>(layout, tile, all, group, out);
  else if (rows > 4)
    ManyTile<8>(layout, tile, all, group, out);
  else
    ManyTile<4>(layout, tile, all, group, out);
}

// A tile of 4-bit codes as one of bytes.
inline void Widened(const PackedLayout& layout, const std::byte* from, int64_t block_bytes,
                    std::byte* to) {
  for (int64_t b = 0; b < layout.blocks; ++b, from += layout.block_bytes(), to += block_bytes) {
    std::memcpy(to, from, static_cast<size_t>(layout.codes_at()));
    UnpackCodes(from + layout.codes_at(), layout.block, to + layout.codes_at());
  }
}

inline void StoreSums(const Product& p, const float* sums, int64_t row, int64_t rows, int64_t tile,
                      const cpu::PartDone* done) {
  const int64_t first = tile * kWide, cols = std::min(kWide, p.n - first);
  if (done) return done->call(done->with, sums, kWide, {row, rows, first, cols});
  for (int64_t r = 0; r < rows; ++r) {
    float* const c = p.c + (row + r) * p.c_row + first;
    const float* const from = sums + r * kWide;
    if (cols == kWide) {
      hn::StoreU(hn::Load(DF(), from), DF(), c);
      hn::StoreU(hn::Load(DF(), from + kLanes), DF(), c + kLanes);
    } else {
      std::copy_n(from, cols, c);
    }
  }
}

// Rows [begin, end) of C, of groups of `all`, for one tile. Its codes pass piece by piece, each
// small enough to stay in the first cache while the rows pass.
inline void ManySweep(const Product& p, const Groups& all, int64_t begin, int64_t end, int64_t tile,
                      ManyCodes codes, const cpu::PartDone* done) {
  alignas(64) float sums[(kSweep + kLines) * kWide];
  const int64_t blocks = p.layout.blocks, at_once = std::max<int64_t>(1, kNear / p.layout.block);
  for (codes.first = 0; codes.first < blocks; codes.first = codes.last) {
    codes.last = blocks - codes.first <= at_once * 3 / 2 ? blocks : codes.first + at_once;
    const bool whole = codes.first == 0 && codes.last == blocks;
    for (int64_t row = begin; row < end; row += kLines) {
      const int64_t rows = std::min<int64_t>(kLines, end - row);
      float* const out = sums + (whole ? 0 : row - begin) * kWide;
      ManyRows(rows, p.layout, codes, all, row / kLines, out);
      if (codes.last == blocks) StoreSums(p, out, row, rows, tile, done);
    }
  }
}

inline bool ManyProduct(const Gemm& g, const Product& p, const cpu::PartDone* done) {
  const PackedLayout& layout = p.layout;
  const Groups sizes(nullptr, layout);
  const int64_t groups = (g.m + kLines - 1) / kLines;
  const cpu::Workspace rounded(static_cast<size_t>(groups * sizes.group_bytes()));
  const Groups all(rounded.as<std::byte>(), layout);
  parallel_for(groups, (1 << 14) / (kLines * sizes.wide) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) RoundGroup(g, layout, all, i);
  });
  const bool widen = layout.bits == 4;
  const int64_t block_bytes = layout.codes_at() + kWide * layout.block;
  const cpu::ThreadWorkspace bytes(widen ? static_cast<size_t>(layout.blocks * block_bytes) : 0);
  // Tiles run first: the values of a sweep stay in the second cache.
  const int64_t sweep = layout.blocks * layout.block > kNear * 3 / 2 ? kSweep / 2 : kSweep;
  const int64_t tiles = layout.tiles(), sweeps = (g.m + sweep - 1) / sweep;
  parallel_for(tiles * sweeps, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task / tiles * sweep, tile = task % tiles;
      const std::byte* start = p.tiles + tile * layout.tile_bytes();
      if (widen) {
        Widened(layout, start, block_bytes, bytes.mine<std::byte>());
        start = bytes.mine<std::byte>();
      }
      ManySweep(p, all, row, std::min(g.m, row + sweep), tile, {start, block_bytes, 0, 0}, done);
    }
  });
  return done != nullptr;
}

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
