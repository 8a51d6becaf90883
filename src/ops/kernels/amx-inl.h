// bf16 for the matrix product of blocked-inl.h by AMX: tiles of 16 rows and 32 steps of k times
// tiles of 32 steps and 16 columns. Of each 32 steps the instruction makes two chains of fused
// multiply-adds, over even places and over odd ones, each from zero; their sum is added to C. So
// the order depends on k alone, and is not that of AVX-512 BF16. (Numbers below 2^-126 are zero.)
#if defined(JOGAK_OPS_AMX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_AMX_INL_H_
#undef JOGAK_OPS_AMX_INL_H_
#else
#define JOGAK_OPS_AMX_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "ops/kernels/amx_tiles-inl.h"
#include "ops/kernels/blocked-inl.h"
#include "ops/kernels/pairs-inl.h"
#include "ops/kernels/turn-inl.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

inline constexpr int64_t kAmxSide = 16, kAmxWords = kAmxSide * kAmxSide;  // of a tile

HWY_INLINE turn::V LoadWords(const void* at) {
  return hn::BitCast(turn::D(),
                     hn::LoadU(hn::ScalableTag<uint8_t>(), static_cast<const uint8_t*>(at)));
}
HWY_INLINE void StoreWords(turn::V v, uint32_t* at) {
  const hn::ScalableTag<uint32_t> d;
  hn::StoreU(hn::BitCast(d, v), d, at);
}

// Words of k, one tile: 16 lines at p and p + 1 steps, woven.
HWY_INLINE turn::V Woven(const BFloat16* first, const BFloat16* second) {
  const hn::ScalableTag<uint32_t> d;
  const hn::Rebind<uint16_t, decltype(d)> half;
  const auto low = hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const uint16_t*>(first)));
  const auto high = hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const uint16_t*>(second)));
  return hn::BitCast(turn::D(), hn::Or(low, hn::ShiftLeft<16>(high)));
}

// One tile, 16 lines by 32 steps of k, number by number: at the edges.
// by_line: [line][word], else [word][line].
inline void PackEdgeTile(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                         bool by_line, uint32_t* out) {
  std::memset(out, 0, sizeof(uint32_t) * kAmxWords);
  for (int64_t i = 0; i < lines; ++i)
    for (int64_t p = 0; 2 * p < k; ++p) {
      const BFloat16* const at = x + i * line + 2 * p * step;
      out[by_line ? i * kAmxSide + p : p * kAmxSide + i] =
          PairOf(at[0], 2 * p + 1 < k ? at[step] : BFloat16{});
    }
}

// The same of a whole tile. Lines lie along k (step 1) or side by side (line 1).
HWY_INLINE void PackWholeTile(const BFloat16* x, int64_t line, int64_t step, bool by_line,
                              uint32_t* out) {
  turn::V v[kAmxSide];
  const bool along = step == 1;
#pragma GCC unroll 16
  for (int i = 0; i < kAmxSide; ++i)
    v[i] = along ? LoadWords(x + i * line) : Woven(x + 2 * i * step, x + (2 * i + 1) * step);
  if (along != by_line) turn::Transpose(v);
#pragma GCC unroll 16
  for (int i = 0; i < kAmxSide; ++i) StoreWords(v[i], out + i * kAmxSide);
}

// Groups of 16 lines, one behind the other, each its tiles along k.
template <bool kByLine>
void PackTiles(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
               uint32_t* out) {
  constexpr int64_t kDeep = 2 * kAmxSide;
  const int64_t blocks = (k + kDeep - 1) / kDeep;
  const auto tile = [=](int64_t i, int64_t b) {
    const BFloat16* const from = x + i * line + b * kDeep * step;
    uint32_t* const to = out + (i / kAmxSide * blocks + b) * kAmxWords;
    const int64_t high = std::min(kAmxSide, lines - i), deep = std::min(kDeep, k - b * kDeep);
    const bool whole = high == kAmxSide && deep == kDeep && (step == 1 || line == 1);
    if (whole)
      PackWholeTile(from, line, step, kByLine, to);
    else
      PackEdgeTile(from, line, step, high, deep, kByLine, to);
  };
  if (line == 1) {  // rows of memory run across lines: each is read from end to end
    for (int64_t b = 0; b < blocks; ++b)
      for (int64_t i = 0; i < lines; i += kAmxSide) tile(i, b);
  } else {
    for (int64_t i = 0; i < lines; i += kAmxSide)
      for (int64_t b = 0; b < blocks; ++b) tile(i, b);
  }
}

// kR x kV tiles of C over t.k words of k: operands are packed tiles.
template <int kR, int kV>
HWY_INLINE void AmxProduct(const PairArgs& t) {
  const int64_t c_bytes = t.c_row * static_cast<int64_t>(sizeof(float)), next = t.k * kAmxSide;
  float* const low = t.c + kAmxSide * t.c_row;
  if (t.into == Into::overwrite) {
    TileZero<0>(), TileZero<1>(), TileZero<2>(), TileZero<3>();
  } else {
    TileLoad<0>(t.c, c_bytes);
    if (kV == 2) TileLoad<1>(t.c + kAmxSide, c_bytes);
    if (kR == 2) TileLoad<2>(low, c_bytes);
    if (kR == 2 && kV == 2) TileLoad<3>(low + kAmxSide, c_bytes);
  }
  for (int64_t at = 0; at < next; at += kAmxWords) {
    TileLoad<4>(t.a + at, 64);
    TileLoad<6>(t.b + at, 64);
    TileDotBf16<0, 4, 6>();
    if (kV == 2) {
      TileLoad<7>(t.b + next + at, 64);
      TileDotBf16<1, 4, 7>();
    }
    if (kR == 2) {
      TileLoad<5>(t.a + next + at, 64);
      TileDotBf16<2, 5, 6>();
      if (kV == 2) TileDotBf16<3, 5, 7>();
    }
  }
  TileStore<0>(t.c, c_bytes);
  if (kV == 2) TileStore<1>(t.c + kAmxSide, c_bytes);
  if (kR == 2) TileStore<2>(low, c_bytes);
  if (kR == 2 && kV == 2) TileStore<3>(low + kAmxSide, c_bytes);
}

template <class OutType>
struct AmxPairs : VectorSizes {
  using Source = BFloat16;
  using Packed = uint32_t;
  using Sum = float;
  using Out = OutType;
  using Args = PairArgs;
  static constexpr int64_t kPer = 2;
  static constexpr int64_t kRows = 2 * kAmxSide, kRowUnit = kAmxSide, kStepUnit = kAmxSide;
  static constexpr int64_t kMaxWidth = 2 * kAmxSide;
  // A panel of 32 KB stays in the first cache, what meets it streams from the second, of 2 MB. A
  // chunk's sums go on in C, so its length changes no bit.
  static constexpr int64_t kChunk = 256, kHeld = 3 * (int64_t{1} << 17), kDeepest = 4;
  static constexpr int64_t kBlockRows = 8 * kRows;
  static constexpr int64_t kPackCost = 128;  // tiles are so much faster than vectors
  static constexpr Into kOnto = Into::go_on;

  static int64_t Lanes() { return kAmxSide; }
  static int64_t Width() { return 2 * kAmxSide; }
  static void PackRows(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                       uint32_t* out) {
    PackTiles<true>(x, line, step, lines, k, out);
  }
  static void PackColumns(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                          uint32_t* out) {
    PackTiles<false>(x, line, step, lines, k, out);
  }
  template <int kVectors>
  static void Rows(const PairArgs& t, int64_t rows) {
    constexpr int kV = kVectors > 2 ? 2 : kVectors;  // there are no wider panels
    rows > kAmxSide ? AmxProduct<2, kV>(t) : AmxProduct<1, kV>(t);
  }
  static void Store(const float* from, int64_t count, OutType* to) {
    StoreRow<true>(from, count, to);
  }
  static void Begin() { UseTiles(); }
  static void End() { LeaveTiles(); }
};

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
