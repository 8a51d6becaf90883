// Rows in f32 times weights in bf16, which are read as they lie, or in tiles (tensor/tiles.h), and
// widened in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_bf16_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/long_runs.h"
#include "ops/kernels/simd-inl.h"
#include "ops/kernels/workspace.h"
#include "tensor/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
inline constexpr int kLanes = 1;
#else
inline constexpr int kLanes = hn::MaxLanes(hn::ScalableTag<float>());
#endif
inline constexpr int64_t kStep = 2 * kLanes;  // weights in a vector
inline constexpr int64_t kAhead = 8192;       // bytes of tiles that memory is asked for beforehand
// Rows and outputs of a tile of sums: AVX-512 has 32 registers, others 16.
inline constexpr int kTileRows = HWY_TARGET <= HWY_AVX3 ? 4 : 2, kTileOutputs = 4;

using Vec = hn::Vec<hn::ScalableTag<float>>;

struct Product {
  int64_t m, n, k, padded;  // padded: k up to whole steps
  const float* x;           // [m, padded]: in each step first the even places, then the odd
  const BFloat16* w;        // [n, k], or tiles
  float* c;                 // [m, n]
  int64_t c_row;
};

// Even and odd places apart, as a vector of weights falls apart when widened; zeros to the end.
void Split(const float* x, int64_t k, int64_t padded, float* out) {
  const hn::ScalableTag<float> d;
  int64_t i = 0;
  for (; i + kStep <= k; i += kStep) {
    Vec even, odd;
    hn::LoadInterleaved2(d, x + i, even, odd);
    hn::StoreU(even, d, out + i);
    hn::StoreU(odd, d, out + i + kLanes);
  }
  for (; i < padded; i += kStep)
    for (int64_t l = 0; l < kStep; ++l) {
      const int64_t from = i + 2 * (l % kLanes) + l / kLanes;
      out[i + l] = from < k ? x[from] : 0;
    }
}

// Weights w[0 .. kStep): two steps of k in each lane.
HWY_INLINE hn::Vec<hn::ScalableTag<uint32_t>> LoadPairs(const BFloat16* w) {
  const hn::ScalableTag<uint32_t> d;
#if HWY_TARGET == HWY_SCALAR
  uint32_t two;
  std::memcpy(&two, w, sizeof(two));
  return hn::Set(d, two);
#else  // bytes lie at any address
  const hn::Repartition<uint8_t, decltype(d)> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const uint8_t*>(w)));
#endif
}

template <int kRows, int kOutputs>
HWY_INLINE void Step(const float* x, int64_t x_row, const BFloat16* w, int64_t w_row,
                     Vec (&sum)[kRows][kOutputs]) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<uint32_t> bits;
  Vec even[kRows], odd[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    even[r] = hn::LoadU(d, x + r * x_row);
    odd[r] = hn::LoadU(d, x + r * x_row + kLanes);
  }
#pragma GCC unroll 4
  for (int o = 0; o < kOutputs; ++o) {
    const auto pairs = LoadPairs(w + o * w_row);
    const Vec first = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
    const Vec second = hn::BitCast(d, hn::And(pairs, hn::Set(bits, 0xFFFF0000u)));
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
      sum[r][o] = hn::MulAdd(second, odd[r], hn::MulAdd(first, even[r], sum[r][o]));
  }
}

// Where weights lie: rows as they are in a file.
struct InRows {
  static constexpr bool kFilledUp = false;  // to whole steps
  static int64_t RowStep(const Product& g) { return g.k; }
  static int64_t Output(const Product& g, int64_t output) { return output * g.k; }
  static int64_t Column(int64_t k) { return k; }
  // What memory is asked for while k is multiplied: so many weights on in each row.
  template <int kOutputs>
  HWY_INLINE static void Fetch(const Product& g, const BFloat16* w, int64_t k) {
    constexpr int64_t kNumbers = 1024;
    const int64_t next = (kOutputs - 1) * g.k;  // from a row's end to the start of the next tile's
    const int64_t ahead = k + kNumbers < g.k ? k + kNumbers : k + kNumbers + next;
#pragma GCC unroll 4
    for (int o = 0; o < kOutputs; ++o) __builtin_prefetch(w + o * g.k + ahead, 0, 2);
  }
};

struct InTiles {
  static constexpr int64_t kRows = FloatTiles::kShortRows, kBlock = FloatTiles::kShortBlock;
  static constexpr bool kFilledUp = true;
  static_assert(kTileOutputs == kRows && kBlock % kStep == 0);
  static int64_t RowStep(const Product&) { return kBlock; }
  static int64_t Output(const Product& g, int64_t output) {
    return (output - output % kRows) * FloatTiles::padded(g.k) + output % kRows * kBlock;
  }
  static int64_t Column(int64_t k) {
    return kStep == kBlock ? k * kRows : k / kBlock * (kRows * kBlock) + k % kBlock;
  }
  template <int kOutputs>
  HWY_INLINE static void Fetch(const Product&, const BFloat16* w, int64_t k) {
    constexpr int64_t kNumbers = kAhead / static_cast<int64_t>(sizeof(BFloat16)), kLine = 32;
    if (k % kBlock != 0) return;
#pragma GCC unroll 4
    for (int o = 0; o < kOutputs; ++o)
      __builtin_prefetch(w + Column(k) + o * kLine + kNumbers, 0, 2);
  }
};

template <class Place, int kRows, int kOutputs>
void Tile(const Product& g, int64_t row, int64_t output) {
  const hn::ScalableTag<float> d;
  const float* const x = g.x + row * g.padded;
  const BFloat16* const w = g.w + Place::Output(g, output);
  const int64_t w_row = Place::RowStep(g);
  const int64_t whole = Place::kFilledUp ? g.padded : g.k / kStep * kStep;
  Vec sum[kRows][kOutputs];
  for (auto& one : sum)
    for (Vec& s : one) s = hn::Zero(d);
  for (int64_t k = 0; k < whole; k += kStep) {
    if (kRows == 1 || (Place::kFilledUp && row == 0)) Place::template Fetch<kOutputs>(g, w, k);
    Step<kRows, kOutputs>(x + k, g.padded, w + Place::Column(k), w_row, sum);
  }
  if (whole < g.k) {
    BFloat16 last[kOutputs][kStep] = {};
    for (int o = 0; o < kOutputs; ++o)
      std::memcpy(static_cast<void*>(last[o]), w + o * g.k + whole,
                  sizeof(BFloat16) * static_cast<size_t>(g.k - whole));
    Step<kRows, kOutputs>(x + whole, g.padded, last[0], kStep, sum);
  }
  for (int r = 0; r < kRows; ++r)
    for (int o = 0; o < kOutputs; ++o)
      g.c[(row + r) * g.c_row + output + o] = SumLanes(d, sum[r][o]);
}

template <class Place, int kRows>
void TileOutputs(const Product& g, int64_t row, int64_t begin, int64_t end) {
  for (; begin + kTileOutputs <= end; begin += kTileOutputs)
    Tile<Place, kRows, kTileOutputs>(g, row, begin);
  for (; begin < end; ++begin) Tile<Place, kRows, 1>(g, row, begin);
}

// All rows for some outputs, whose weights stay in cache meanwhile.
template <class Place>
void Outputs(const Product& g, int64_t begin, int64_t end) {
  int64_t row = 0;
  for (; row + kTileRows <= g.m; row += kTileRows)
    TileOutputs<Place, kTileRows>(g, row, begin, end);
  if (kTileRows > 2 && row + 2 <= g.m) {
    TileOutputs<Place, 2>(g, row, begin, end);
    row += 2;
  }
  if (row < g.m) TileOutputs<Place, 1>(g, row, begin, end);
}

template <class Place>
void ProductOf(const Product& product) {
  // With many rows 16 outputs at a time, so that they are read again from the second cache; with
  // few long runs.
  const bool many = product.m > 2 * kTileRows;
  const int64_t groups = (product.n + kTileOutputs - 1) / kTileOutputs;
  const int64_t bytes = kTileOutputs * product.padded * static_cast<int64_t>(sizeof(BFloat16));
  const auto some = [&](int64_t begin, int64_t end, int64_t at_once) {
    for (int64_t o = begin; o < end; o += at_once)
      Outputs<Place>(product, o, std::min<int64_t>(end, o + at_once));
  };
  if (many)
    return parallel_for(product.n, 64, [&](int64_t begin, int64_t end) { some(begin, end, 16); });
  parallel_runs(LongRuns(groups, bytes), [&](int64_t begin, int64_t end) {
    if (Place::kFilledUp) ask_for(product.w + Place::Output(product, begin * kTileOutputs), kAhead);
    some(begin * kTileOutputs, std::min(product.n, end * kTileOutputs), kTileOutputs);
  });
}

}  // namespace

void GemmBf16(const Gemm& g) {
  const int64_t padded = (g.k + kStep - 1) / kStep * kStep;
  const cpu::Workspace split(sizeof(float) * static_cast<size_t>(g.m * padded));
  float* const x = split.as<float>();
  parallel_for(g.m, (1 << 14) / padded + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      Split(static_cast<const float*>(g.a) + r * g.a_row, g.k, padded, x + r * padded);
  });
  const std::byte* const w = static_cast<const std::byte*>(g.b);
  const auto* const numbers =
      reinterpret_cast<const BFloat16*>(g.b_packed ? w + FloatTiles::kHead : w);
  const Product product{g.m, g.n, g.k, padded, x, numbers, static_cast<float*>(g.c), g.c_row};
  g.b_packed ? ProductOf<InTiles>(product) : ProductOf<InRows>(product);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmBf16);

void gemm_bf16(const Gemm& g) { HWY_DYNAMIC_DISPATCH(GemmBf16)(g); }

}  // namespace jogak::cpu
#endif
