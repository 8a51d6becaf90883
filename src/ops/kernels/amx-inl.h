// Products of bf16 by AMX: tiles of 16 rows and 32 steps of k times tiles of 32 steps and 16
// columns. Of each 32 steps the instruction makes two chains of fused multiply-adds, over even
// places and over odd ones, each from zero; their sum is added to C. So the order depends on k
// alone, and is not that of AVX-512 BF16. (Numbers below 2^-126 are zero.)
//
// Both operands are put into the order of tiles once, by all threads: the shorter one whole, the
// longer one in stripes that fit the second caches. Then each thread makes blocks of C: columns of
// 32 stay in the first cache over 512 steps of k, rows come from the second and are asked for two
// steps ahead.
#if defined(JOGAK_OPS_AMX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_AMX_INL_H_
#undef JOGAK_OPS_AMX_INL_H_
#else
#define JOGAK_OPS_AMX_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "ops/gemm.h"
#include "ops/kernels/amx_tiles-inl.h"
#include "ops/kernels/pairs-inl.h"
#include "ops/kernels/turn-inl.h"
#include "ops/kernels/workspace.h"

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

// An operand in the order of tiles: groups of 16 lines, `steps` tiles of 32 numbers of k in each.
struct TileOrder {
  const uint32_t* data;
  int64_t steps;

  const uint32_t* tile(int64_t group, int64_t step) const {
    return data + (group * steps + step) * kAmxWords;
  }
};

inline int64_t GroupsOf(int64_t lines) { return (lines + kAmxSide - 1) / kAmxSide; }

// Asks for a tile that is two steps ahead in its group, or at the beginning of the next one.
HWY_INLINE void AskForTile(const uint32_t* now, int64_t left, const uint32_t* next) {
  constexpr int64_t kAhead = 2;
  const uint32_t* const at =
      left > kAhead ? now + kAhead * kAmxWords : next + (kAhead - left) * kAmxWords;
#pragma GCC unroll 16
  for (int64_t i = 0; i < kAmxSide; ++i) __builtin_prefetch(at + i * kAmxSide, 0, 3);
}

// kR x kV tiles of sums over `count` steps of k. `next` is the row of tiles after these.
template <class Tiles, int kR, int kV>
void AmxTilesOf(const uint32_t* a, const uint32_t* next, const uint32_t* b, int64_t group,
                int64_t count, float* sums, int64_t width, bool fresh) {
  const int64_t bytes = width * static_cast<int64_t>(sizeof(float));
  float* const low = sums + kAmxSide * width;
  if (fresh) {
    Tiles::template Zero<0>(), Tiles::template Zero<1>();
    Tiles::template Zero<2>(), Tiles::template Zero<3>();
  } else {
    Tiles::template Load<0>(sums, bytes);
    if (kV == 2) Tiles::template Load<1>(sums + kAmxSide, bytes);
    if (kR == 2) Tiles::template Load<2>(low, bytes);
    if (kR == 2 && kV == 2) Tiles::template Load<3>(low + kAmxSide, bytes);
  }
  for (int64_t s = 0; s < count; ++s, a += kAmxWords, b += kAmxWords) {
    Tiles::template Load<4>(a, 64);
    Tiles::template Load<6>(b, 64);
    AskForTile(a, count - s, next);
    Tiles::template Dot<0, 4, 6>();
    if (kV == 2) {
      Tiles::template Load<7>(b + group, 64);
      Tiles::template Dot<1, 4, 7>();
    }
    if (kR == 2) {
      Tiles::template Load<5>(a + group, 64);
      AskForTile(a + group, count - s, next + group);
      Tiles::template Dot<2, 5, 6>();
      if (kV == 2) Tiles::template Dot<3, 5, 7>();
    }
  }
  Tiles::template Store<0>(sums, bytes);
  if (kV == 2) Tiles::template Store<1>(sums + kAmxSide, bytes);
  if (kR == 2) Tiles::template Store<2>(low, bytes);
  if (kR == 2 && kV == 2) Tiles::template Store<3>(low + kAmxSide, bytes);
}

struct AmxBlock {  // of C: from the first row and column on, which begin groups
  int64_t row, rows, col, cols;
};

// The sums of a block, `width` numbers a row. first_a, first_b: the groups at which it begins.
template <class Tiles>
void AmxSums(const AmxBlock& block, const TileOrder& a, int64_t first_a, const TileOrder& b,
             int64_t first_b, float* sums, int64_t width, bool fresh) {
  constexpr int64_t kDeep = 16;  // steps: 32 KB of two groups of columns
  const int64_t down = GroupsOf(block.rows), across = GroupsOf(block.cols);
  const int64_t group = a.steps * kAmxWords;
  for (int64_t s = 0; s < a.steps; s += kDeep)
    for (int64_t j = 0; j < across; j += 2)
      for (int64_t i = 0; i < down; i += 2) {
        const uint32_t* const rows = a.tile(first_a + i, s);
        const int64_t after = i + 2 < down ? first_a + i + 2 : first_a;  // what comes next
        const auto make = [&](auto tiles_of) {
          tiles_of(rows, a.tile(after, s), b.tile(first_b + j, s), group,
                   std::min(kDeep, a.steps - s), sums + (i * width + j) * kAmxSide, width,
                   fresh && s == 0);
        };
        const bool two_rows = i + 1 < down, two_columns = j + 1 < across;
        if (two_rows)
          two_columns ? make(AmxTilesOf<Tiles, 2, 2>) : make(AmxTilesOf<Tiles, 2, 1>);
        else
          two_columns ? make(AmxTilesOf<Tiles, 1, 2>) : make(AmxTilesOf<Tiles, 1, 1>);
      }
}

// A row of C as sums, and back.
template <class T>
void WidenRow(const T* from, int64_t count, float* to) {
  for (int64_t j = 0; j < count; ++j) to[j] = static_cast<float>(from[j]);
}

template <class Tiles, class T>
void AmxMake(const Gemm& g, const AmxBlock& block, const TileOrder& a, int64_t first_a,
             const TileOrder& b, int64_t first_b, float* sums) {
  T* const c = static_cast<T*>(g.c) + block.row * g.c_row + block.col;
  const int64_t width = GroupsOf(block.cols) * kAmxSide;
  if (g.accumulate) {
    std::fill_n(sums, GroupsOf(block.rows) * kAmxSide * width, 0.f);
    for (int64_t r = 0; r < block.rows; ++r)
      WidenRow(c + r * g.c_row, block.cols, sums + r * width);
  }
  AmxSums<Tiles>(block, a, first_a, b, first_b, sums, width, !g.accumulate);
  for (int64_t r = 0; r < block.rows; ++r)
    StoreRow<true>(sums + r * width, block.cols, c + r * g.c_row);
}

// Lines [first, first + lines) of an operand into the order of tiles.
template <bool kByLine>
void OrderTiles(const BFloat16* x, int64_t line, int64_t step, int64_t lines, int64_t k,
                uint32_t* out) {
  constexpr int64_t kAtOnce = 4 * kAmxSide;  // whole lines of memory where they run across
  const int64_t group = (k + 2 * kAmxSide - 1) / (2 * kAmxSide) * kAmxWords;
  parallel_for((lines + kAtOnce - 1) / kAtOnce, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kAtOnce, last = std::min(lines, end * kAtOnce);
    PackTiles<kByLine>(x + first * line, line, step, last - first, k,
                       out + first / kAmxSide * group);
  });
}

// How C [m, n] is cut into blocks: so that the last thread is done soonest, where a line that is
// read from further away costs as much as 128 elements of C. No cut changes a bit.
struct AmxCut {
  static constexpr int64_t kMost = 256;
  int64_t rows = kMost, cols = kMost;

  AmxCut(int64_t m, int64_t n) {
    int64_t best = -1;
    for (int64_t high = kMost; high >= 32; high /= 2)
      for (int64_t wide = kMost; wide >= 32; wide /= 2) {
        const int64_t tasks = (m + high - 1) / high * ((n + wide - 1) / wide);
        const int64_t turns = (tasks + thread_count() - 1) / thread_count();
        const int64_t cost = turns * (high * wide + 128 * (high + wide));
        if (best >= 0 && cost >= best) continue;
        best = cost, rows = high, cols = wide;
      }
  }
};

// Rows [row, row + rows) and columns [col, col + cols) of C, whose operands lie in order.
template <class Tiles>
void AmxStripe(const Gemm& g, const AmxBlock& all, const TileOrder& a, const TileOrder& b) {
  const AmxCut cut(all.rows, all.cols);
  const int64_t down = (all.rows + cut.rows - 1) / cut.rows,
                across = (all.cols + cut.cols - 1) / cut.cols;
  const cpu::ThreadWorkspace sums(sizeof(float) * AmxCut::kMost * AmxCut::kMost);
  parallel_for(down * across, 1, [&](int64_t begin, int64_t end) {
    Tiles::Use();
    for (int64_t task = begin; task < end; ++task) {  // rows first: columns stay near
      const int64_t i = task % down * cut.rows, j = task / down * cut.cols;
      const AmxBlock block{all.row + i, std::min(cut.rows, all.rows - i), all.col + j,
                           std::min(cut.cols, all.cols - j)};
      const bool wide = g.c_f32 || g.dtype == DType::f32;
      auto* const make = wide ? AmxMake<Tiles, float> : AmxMake<Tiles, BFloat16>;
      make(g, block, a, i / kAmxSide, b, j / kAmxSide, sums.template mine<float>());
    }
    Tiles::Leave();
  });
}

template <class Tiles>
void AmxProduct(const Gemm& g) {
  const int64_t steps = (g.k + 2 * kAmxSide - 1) / (2 * kAmxSide), group = steps * kAmxWords;
  const bool by_columns = g.n >= g.m;  // stripes of the longer operand
  const int64_t shorter = by_columns ? g.m : g.n, longer = by_columns ? g.n : g.m;
  const int64_t near = thread_count() * (int64_t{1} << 20) / (group * 4) * kAmxSide;
  const int64_t stripe = std::min(std::max<int64_t>(AmxCut::kMost, near / 64 * 64), longer);
  const auto words = [&](int64_t lines) {
    return sizeof(uint32_t) * static_cast<size_t>(GroupsOf(lines) * group);
  };
  const cpu::Workspace whole(words(shorter)), part(words(stripe));
  const auto* const x = static_cast<const BFloat16*>(g.a);
  const auto* const y = static_cast<const BFloat16*>(g.b);
  auto *const held = whole.as<uint32_t>(), *const passing = part.as<uint32_t>();
  if (by_columns)
    OrderTiles<true>(x, g.a_row, g.a_col, g.m, g.k, held);
  else
    OrderTiles<false>(y, g.b_col, g.b_row, g.n, g.k, held);
  for (int64_t at = 0; at < longer; at += stripe) {
    const int64_t lines = std::min(stripe, longer - at);
    if (by_columns) {
      OrderTiles<false>(y + at * g.b_col, g.b_col, g.b_row, lines, g.k, passing);
      AmxStripe<Tiles>(g, {0, g.m, at, lines}, {held, steps}, {passing, steps});
    } else {
      OrderTiles<true>(x + at * g.a_row, g.a_row, g.a_col, lines, g.k, passing);
      AmxStripe<Tiles>(g, {at, lines, 0, g.n}, {passing, steps}, {held, steps});
    }
  }
}

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif
