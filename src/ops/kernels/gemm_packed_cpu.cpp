// Rows in f32 times a matrix of small integers (tensor/packed.h). Values are rounded, by the
// largest of each block, and sums within a block are whole numbers: exact, whatever the order,
// so that every instruction set gives the same bits. Lanes are outputs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_packed_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/isa_small.h"
#include "ops/kernels/long_runs.h"
#include "ops/kernels/packed-inl.h"
#include "ops/kernels/packed_amx-inl.h"
#include "ops/kernels/packed_many-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

HWY_INLINE VI Spread(const uint8_t* plane) {
  int32_t four;
  std::memcpy(&four, plane, 4);
  return hn::Set(DI(), four);
}

// kStep columns of a block. A function: in a lambda GCC 12 keeps the sums in memory.
template <int kBits, class Sum, int kWays, int kR, int kV>
HWY_INLINE void Step(const std::byte* codes, const uint8_t* const (&firsts)[kR],
                     const uint8_t* const (&seconds)[kR], int64_t k, Sum (&sums)[kWays][kR][kV]) {
  constexpr int kParts = kBits == 8 ? kWays : 2;
#pragma GCC unroll 2
  for (int part = 0; part < kParts; ++part) {
    VU w[kV];
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) {
      const int64_t line = kBits == 8 ? k / 4 + part : k / 8;
      const std::byte* const here = codes + line * PackedLayout::kLine + v * kLanes * 4;
      if (kR <= 2 && (kBits == 8 || part == 0)) __builtin_prefetch(here + kAhead, 0, 2);
      w[v] = hn::LoadU(DU(), reinterpret_cast<const uint32_t*>(here));
      if (kBits == 4)
        w[v] = hn::And(part == 0 ? w[v] : hn::ShiftRight<4>(w[v]), hn::Set(DU(), 0x0F0F0F0Fu));
    }
#pragma GCC unroll 6
    for (int r = 0; r < kR; ++r) {
      const VI first = Spread(firsts[r] + k + 4 * part);
      const VI second = Spread(seconds[r] + k + 4 * part);
#pragma GCC unroll 2
      for (int v = 0; v < kV; ++v) sums[part % kWays][r][v].Add(w[v], first, second);
    }
  }
}

// The codes of one block: kR rows times kV vectors of outputs, which lie side by side. With few
// rows memory is asked for what comes kAhead behind: there the next tiles lie, too. kBlock: its
// columns where they are known beforehand, so that a single row, which waits for memory alone, is a
// straight line of instructions, with as many loads on their way as possible; else 0.
template <class Way, int kBits, int kBlock, int kR, int kV>
HWY_INLINE void Codes(const std::byte* codes, const Rounded* rows, int64_t at, int64_t any_block,
                      VI (&out)[kR][kV]) {
  constexpr int kWays = kR == 1 ? 2 : 1;  // chains of sums: alone one would wait for itself
  constexpr int kStep = kBits == 8 ? 4 * kWays : 8;
  const uint8_t *firsts[kR], *seconds[kR];
  typename Way::Sum sums[kWays][kR][kV];
#pragma GCC unroll 6
  for (int r = 0; r < kR; ++r) {
    firsts[r] = rows[r].first + at, seconds[r] = rows[r].second + at;
#pragma GCC unroll 2
    for (int way = 0; way < kWays; ++way)
#pragma GCC unroll 2
      for (int v = 0; v < kV; ++v) sums[way][r][v].Clear();
  }
  if constexpr (kBlock > 0) {
#pragma GCC unroll 8
    for (int64_t k = 0; k < kBlock; k += kStep) Step<kBits>(codes, firsts, seconds, k, sums);
  } else {
    for (int64_t k = 0; k < any_block; k += kStep) Step<kBits>(codes, firsts, seconds, k, sums);
  }
  // Unrolled like everything here: an array that is indexed lies in memory.
#pragma GCC unroll 6
  for (int r = 0; r < kR; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) {
      if (kWays == 2) sums[0][r][v].Add(sums[kWays - 1][r][v]);
      out[r][v] = sums[0][r][v].total();
    }
}

template <class Way, int kBits, int kR, int kV>
HWY_INLINE void Tile(const Product& p, int64_t row, int64_t vector) {
  const PackedLayout& layout = p.layout;
  const std::byte* start = p.vector(vector);
  VF sums[kR][kV];
  for (auto& line : sums)
    for (VF& s : line) s = hn::Zero(DF());
  for (int64_t b = 0; b < layout.blocks; ++b, start += layout.block_bytes()) {
    const std::byte* const codes = start + layout.codes_at();
    const int64_t block = layout.block, at = b * block;
    VI whole[kR][kV];
    constexpr bool kStraight = kR == 1 && kBits == 4;  // 8 bits wait for memory alone
    if (kStraight && block == 64)
      Codes<Way, kBits, kStraight ? 64 : 0>(codes, p.rows + row, at, block, whole);
    else if (kStraight && block == 128)
      Codes<Way, kBits, kStraight ? 128 : 0>(codes, p.rows + row, at, block, whole);
    else
      Codes<Way, kBits, 0>(codes, p.rows + row, at, block, whole);
#pragma GCC unroll 2
    for (int v = 0; v < kV; ++v) {
      const auto* const own = reinterpret_cast<const float*>(start) + v * kLanes;
      const VF scale = hn::LoadU(DF(), own);
      VI zero = hn::Zero(DI());
      if (layout.with_zeros)
        zero = hn::LoadU(DI(), reinterpret_cast<const int32_t*>(own + PackedLayout::kTile));
#pragma GCC unroll 6
      for (int r = 0; r < kR; ++r) {
        const Rounded& x = p.rows[row + r];
        const VI all_zeros = layout.with_zeros ? hn::Mul(zero, hn::Set(DI(), x.sums[b]))
                                               : hn::Set(DI(), layout.zero() * x.sums[b]);
        const VI exact = hn::Sub(whole[r][v], all_zeros);
        sums[r][v] = hn::MulAdd(hn::ConvertTo(DF(), exact),
                                hn::Mul(scale, hn::Set(DF(), x.scales[b])), sums[r][v]);
      }
    }
  }
  for (int r = 0; r < kR; ++r)
    for (int v = 0; v < kV; ++v) {
      const int64_t first = (vector + v) * kLanes, left = p.n - first;
      float* const c = p.c + (row + r) * p.c_row + first;
      if (left >= kLanes)
        hn::StoreU(sums[r][v], DF(), c);
      else if (left > 0)
        StoreTail(sums[r][v], DF(), c, static_cast<size_t>(left));
    }
}

template <class Way, int kBits, int kV>
void AllRows(const Product& p, int64_t m, int64_t vector) {
  constexpr int kRows = Way::kRows;
  int64_t row = 0;
  for (; row + kRows <= m; row += kRows) Tile<Way, kBits, kRows, kV>(p, row, vector);
  if (kRows > 4 && row + 4 <= m) {
    Tile<Way, kBits, 4, kV>(p, row, vector);
    row += 4;
  }
  if (kRows > 2 && row + 2 <= m) {
    Tile<Way, kBits, 2, kV>(p, row, vector);
    row += 2;
  }
  if (row < m) Tile<Way, kBits, 1, kV>(p, row, vector);
}

template <class Way>
bool ProductOfPacked(const Gemm& g, [[maybe_unused]] const cpu::PartDone* done) {
  Product p;
  p.layout = packed_layout(g.b);
  p.tiles = static_cast<const std::byte*>(g.b) + PackedLayout::kHead;
  p.c = static_cast<float*>(g.c), p.c_row = g.c_row, p.n = g.n;
#if HWY_TARGET == HWY_AVX3
  if (std::is_same_v<Way, ByBytes> && p.layout.value_bits == 8 && g.m >= kMany && !isa_has_amx())
    return ManyProduct(g, p, done);
#endif
  const RoundedRows<Way> rounded(g, p.layout);
  p.rows = rounded.table.template as<Rounded>();
#if HWY_TARGET == HWY_AVX3
  if (isa_has_amx() && TilesPay(g.m, p.layout)) {
    PackedTiles(p, g.m, 2 * rounded.wide, done);
    return done != nullptr;
  }
#endif
  const int64_t vectors = p.layout.tiles() * kVectors, pairs = (vectors + kAtOnce - 1) / kAtOnce;
  const int64_t pair_bytes = p.layout.tile_bytes() * kAtOnce / kVectors;
  const auto some = [&](int64_t begin, int64_t end) {
    if (g.m <= 8) ask_for(p.vector(begin * kAtOnce), kAhead);
    for (int64_t v = begin * kAtOnce; v < std::min(vectors, end * kAtOnce); v += kAtOnce) {
      const bool both = v + kAtOnce <= vectors;
      if (p.layout.bits == 8)
        both ? AllRows<Way, 8, kAtOnce>(p, g.m, v) : AllRows<Way, 8, 1>(p, g.m, v);
      else
        both ? AllRows<Way, 4, kAtOnce>(p, g.m, v) : AllRows<Way, 4, 1>(p, g.m, v);
    }
    if (!done) return;
    const int64_t first = begin * kAtOnce * kLanes, last = std::min(p.n, end * kAtOnce * kLanes);
    done->call(done->with, p.c + first, p.c_row, {0, g.m, first, last - first});
  };
  if (g.m > 8)
    parallel_for(pairs, 4, some);
  else
    parallel_runs(LongRuns(pairs, pair_bytes), some);
  return done != nullptr;
}

}  // namespace

bool GemmPacked(const Gemm& g, const cpu::PartDone* done) {
#if HWY_TARGET == HWY_AVX3 && (HWY_TARGETS & HWY_AVX2)
  return isa_has_vnni() ? ProductOfPacked<ByBytes>(g, done) : N_AVX2::GemmPacked(g, done);
#elif HWY_TARGET == HWY_AVX2
  return isa_has_avx_vnni() ? ProductOfPacked<ByBytes>(g, done) : ProductOfPacked<ByPairs>(g, done);
#else
  return ProductOfPacked<ByPairs>(g, done);
#endif
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmPacked);

bool gemm_packed(const Gemm& g, const PartDone* done) {
  return HWY_DYNAMIC_DISPATCH(GemmPacked)(g, done);
}

}  // namespace jogak::cpu
#endif
