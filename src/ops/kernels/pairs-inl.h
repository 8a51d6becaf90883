// bf16 for the matrix product of blocked-inl.h: two numbers of one line, neighbours in k, are a
// word of 32 bits, and a step of a tile adds both products to an f32 sum, the second of them first.
// That is the order of AVX-512 BF16's instruction; elsewhere words are widened and multiply-adds
// fused, which gives the same bits, for the product of two bf16 is exact. (The instruction takes
// numbers below 2^-126 for zero.)
#if defined(JOGAK_OPS_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_PAIRS_INL_H_
#undef JOGAK_OPS_PAIRS_INL_H_
#else
#define JOGAK_OPS_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ops/kernels/blocked-inl.h"
#include "ops/kernels/simd-inl.h"
#include "ops/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

HWY_INLINE uint32_t PairOf(BFloat16 first, BFloat16 second) {
  return std::bit_cast<uint16_t>(first) | static_cast<uint32_t>(std::bit_cast<uint16_t>(second))
                                              << 16;
}

// Four lines, each with its numbers side by side -> four words of k, `width` apart.
HWY_INLINE void TurnFourPairs(const BFloat16* x, int64_t line, uint32_t* out, int64_t width) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t j = 0; j < 4; ++j)
    for (int64_t p = 0; p < 4; ++p)
      out[p * width + j] = PairOf(x[j * line + 2 * p], x[j * line + 2 * p + 1]);
#else
  const hn::Full128<uint8_t> bytes;
  const hn::Full128<uint32_t> words;
  const hn::Full128<uint64_t> twos;
  const auto load = [=](int64_t j) {  // at any address
    return hn::BitCast(words, hn::LoadU(bytes, reinterpret_cast<const uint8_t*>(x + j * line)));
  };
  const auto a = load(0), b = load(1), c = load(2), e = load(3);
  const auto join = [=](auto first, auto second, uint32_t* to) {
    const auto u = hn::BitCast(twos, first), v = hn::BitCast(twos, second);
    hn::StoreU(hn::BitCast(words, hn::InterleaveLower(twos, u, v)), words, to);
    hn::StoreU(hn::BitCast(words, hn::InterleaveUpper(twos, u, v)), words, to + width);
  };
  join(hn::InterleaveLower(words, a, b), hn::InterleaveLower(words, c, e), out);
  join(hn::InterleaveUpper(words, a, b), hn::InterleaveUpper(words, c, e), out + 2 * width);
#endif
}

// Lines that lie side by side: two steps of k, kCount lines at a time, woven into words.
template <int64_t kCount>
HWY_INLINE void WeavePairs(const BFloat16* x, int64_t step, int64_t words, int64_t width,
                           uint32_t* out) {
  const hn::CappedTag<uint32_t, kCount> d;
  const hn::Rebind<uint16_t, decltype(d)> half;
  for (int64_t p = 0; p < words; ++p) {
    const auto* const first = reinterpret_cast<const uint16_t*>(x + 2 * p * step);
    const auto* const second = reinterpret_cast<const uint16_t*>(x + (2 * p + 1) * step);
    for (int64_t i = 0; i < kCount; i += static_cast<int64_t>(hn::Lanes(d))) {
      const auto low = hn::PromoteTo(d, hn::LoadU(half, first + i));
      const auto high = hn::PromoteTo(d, hn::LoadU(half, second + i));
      hn::StoreU(hn::Or(low, hn::ShiftLeft<16>(high)), d, out + p * width + i);
    }
  }
}

// As PackPanel: out[p * width + i] is the word of steps 2 p and 2 p + 1 of line i, zeros behind k.
inline void PackPairPanel(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                          int64_t width, uint32_t* out) {
  const int64_t whole = k / 2;
  int64_t done_lines = 0, done_words = 0;
  if (line == 1) {
    done_words = whole;
    int64_t& i = done_lines;
    for (; i + 16 <= lines; i += 16) WeavePairs<16>(x + i, step, whole, width, out + i);
    for (; i + 8 <= lines; i += 8) WeavePairs<8>(x + i, step, whole, width, out + i);
    for (; i + 4 <= lines; i += 4) WeavePairs<4>(x + i, step, whole, width, out + i);
  } else if (step == 1) {
    done_lines = lines / 4 * 4, done_words = whole / 4 * 4;
    for (int64_t i = 0; i < done_lines; i += 4)
      for (int64_t p = 0; p < done_words; p += 4)
        TurnFourPairs(x + i * line + 2 * p, line, out + p * width + i, width);
  }
  for (int64_t i = 0; i < width; ++i)
    for (int64_t p = i < done_lines ? done_words : 0; 2 * p < k; ++p) {
      const BFloat16* const at = x + i * line + 2 * p * step;
      if (i >= lines)
        out[p * width + i] = 0;
      else
        out[p * width + i] = PairOf(at[0], 2 * p + 1 < k ? at[step] : BFloat16{});
    }
}

struct PairArgs {  // as TileArgs
  int64_t k;
  const uint32_t* a;
  int64_t a_row, a_col;
  const uint32_t* b;
  int64_t b_row;
  float* c;
  int64_t c_row;
  Into into;
};

using PairFloats = hn::Vec<hn::ScalableTag<float>>;
using PairWords = hn::Vec<hn::ScalableTag<uint32_t>>;

// sum + second products + first products; kDot: by AVX-512 BF16.
template <bool kDot>
HWY_INLINE void AddPairProducts(PairWords a, PairWords b, PairFloats& sum) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (kDot) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(b.raw), "v"(a.raw));
    return;
  }
#endif
  const hn::ScalableTag<float> d;
  const auto upper = hn::Set(hn::ScalableTag<uint32_t>(), 0xFFFF0000u);
  const auto second = [=](PairWords x) { return hn::BitCast(d, hn::And(x, upper)); };
  const auto first = [=](PairWords x) { return hn::BitCast(d, hn::ShiftLeft<16>(x)); };
  sum = hn::MulAdd(first(a), first(b), hn::MulAdd(second(a), second(b), sum));
}

template <bool kDot, int kRows, int kVectors>
HWY_INLINE void PairTile(const PairArgs& t) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<uint32_t> words;
  const int64_t lanes = hn::Lanes(d);
  PairFloats sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::Zero(d);
  const uint32_t* a = t.a;
  const uint32_t* b = t.b;
  for (int64_t k = 0; k < t.k; ++k, a += t.a_col, b += t.b_row) {
    PairWords row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) row[v] = hn::LoadU(words, b + v * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const PairWords left = hn::Set(words, a[i * t.a_row]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) AddPairProducts<kDot>(left, row[v], sum[i][v]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* const c = t.c + i * t.c_row + v * lanes;
      const bool add = t.into == Into::add_after;
      hn::StoreU(add ? hn::Add(hn::LoadU(d, c), sum[i][v]) : sum[i][v], d, c);
    }
}

template <bool kDot, int kVectors>
HWY_NOINLINE void PairTileRows(PairArgs t, int64_t rows) {
  const auto step = [&t, &rows](int done) {
    t.a += done * t.a_row;
    t.c += done * t.c_row;
    rows -= done;
  };
  for (; rows >= kTileRows; step(kTileRows)) PairTile<kDot, kTileRows, kVectors>(t);
  if (rows >= 4) PairTile<kDot, 4, kVectors>(t), step(4);
  if (rows >= 2) PairTile<kDot, 2, kVectors>(t), step(2);
  if (rows == 1) PairTile<kDot, 1, kVectors>(t);
}

// A row of sums as what C is; kDot: rounded by AVX-512 BF16.
template <bool kDot, class T>
void StoreRow(const float* from, int64_t count, T* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
#if HWY_TARGET == HWY_AVX3
  if constexpr (kDot && sizeof(T) == 2) {
    for (; i < count; i += lanes) {
      const auto left = static_cast<size_t>(std::min(lanes, count - i));
      const auto sums = i + lanes <= count ? hn::LoadU(d, from + i) : LoadTail(d, from + i, left);
      hn::Vec<hn::Rebind<uint16_t, decltype(d)>> half;
      asm("vcvtneps2bf16 %1, %0" : "=v"(half.raw) : "v"(sums.raw));
      if (i + lanes <= count) {
        hn::StoreU(half, hn::Rebind<uint16_t, decltype(d)>(), reinterpret_cast<uint16_t*>(to + i));
        continue;
      }
      std::memcpy(static_cast<void*>(to + i), &half, sizeof(T) * left);
    }
    return;
  }
#endif
  for (; i + lanes <= count; i += lanes) StoreAs(hn::LoadU(d, from + i), d, to + i);
  if (i < count) {
    const auto left = static_cast<size_t>(count - i);
    StoreTail(LoadTail(d, from + i, left), d, to + i, left);
  }
}

// As PackPanels. `words` of k in each line, zeros behind its numbers.
inline void PackPairPanels(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                           int64_t unit, int64_t round, int64_t words, uint32_t* out) {
  // Lines that lie across memory are read a few steps at a time, as in PackPanels.
  const int64_t there = (k + 1) / 2, at_once = line == 1 ? 16 : there;
  for (int64_t p = 0; p < there; p += at_once)
    for (int64_t i = 0; i < lines; i += unit) {
      const int64_t count = std::min(unit, lines - i), width = (count + round - 1) / round * round;
      PackPairPanel(x + i * line + 2 * p * step, line, step, count,
                    std::min(2 * at_once, k - 2 * p), width, out + i * words + p * width);
    }
}

// What blocked-inl.h wants to know. OutType: float, or BFloat16, rounded from whole sums.
template <class OutType, bool kDot>
struct Pairs : VectorSizes {
  using Source = BFloat16;
  using Packed = uint32_t;
  using Sum = float;
  using Out = OutType;
  using Args = PairArgs;
  static constexpr int64_t kPer = 2;

  static int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>())); }
  static int64_t Width() { return kTileVectors * Lanes(); }
  static void PackRows(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                       uint32_t* out) {
    PackPairPanels(x, line, step, lines, k, kTileRows, 1, (k + 1) / 2, out);
  }
  static void PackColumns(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                          uint32_t* out) {
    PackPairPanels(x, line, step, lines, k, Width(), Lanes(), (k + 1) / 2, out);
  }
  template <int kVectors>
  static void Rows(const PairArgs& t, int64_t rows) {
    PairTileRows<kDot, kVectors>(t, rows);
  }
  static void Store(const float* from, int64_t count, OutType* to) {
    StoreRow<kDot>(from, count, to);
  }
};

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
