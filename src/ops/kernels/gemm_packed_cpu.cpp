// Rows in f32 times a matrix of small integers (tensor/packed.h). Values are rounded to 16 bits, by
// the largest of each block, and sums within a block are whole numbers: exact, whatever the order,
// so that every instruction set gives the same bits. Lanes are outputs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_packed_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/simd-inl.h"
#include "ops/kernels/workspace.h"
#include "tensor/packed.h"

#if HWY_TARGET == HWY_AVX3  // with VNNI: without it the kernel for AVX2 is taken, see below
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
#else
HWY_BEFORE_NAMESPACE();
#endif
namespace jogak::HWY_NAMESPACE {
namespace {

using DF = hn::ScalableTag<float>;
using DI = hn::ScalableTag<int32_t>;
using DU = hn::ScalableTag<uint32_t>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using VU = hn::Vec<DU>;
#if HWY_TARGET == HWY_SCALAR
constexpr int kLanes = 1;
#else
constexpr int kLanes = hn::MaxLanes(DF());
#endif
constexpr int kVectors = PackedLayout::kTile / kLanes;     // of a tile
constexpr int kRows = HWY_TARGET == HWY_AVX3 ? 6 : 4;      // at a time
constexpr int kAtOnce = HWY_TARGET == HWY_SCALAR ? 1 : 2;  // vectors
constexpr int64_t kAhead = 2048;                           // bytes
constexpr float kMost = 32512;  // of a rounded value: 127 * 256, its upper byte fits

// Rounded values of one row: two planes of 4 bytes for every four columns, as Add wants them.
struct Rounded {
  const uint8_t *first, *second;
  const float* scales;  // of blocks
  const int32_t* sums;  // of rounded values in blocks, for the zeros
};

#if HWY_TARGET == HWY_AVX3
// The first plane holds upper bytes, the second what is left: value = 256 * first + second.
HWY_INLINE void Split(const int32_t* q, int64_t count, uint8_t* first, uint8_t* second) {
  const hn::Rebind<uint8_t, DU> bytes;
  alignas(64) uint8_t high_bytes[kLanes], low_bytes[kLanes];
  for (int64_t i = 0; i < count; i += kLanes) {
    const VI all = hn::Load(DI(), q + i);
    const VI high = hn::ShiftRight<8>(hn::Add(all, hn::Set(DI(), 128)));
    // The lower byte of a value is what is left of it, as a signed byte.
    hn::Store(hn::TruncateTo(bytes, hn::BitCast(DU(), high)), bytes, high_bytes);
    hn::Store(hn::TruncateTo(bytes, hn::BitCast(DU(), all)), bytes, low_bytes);
    const auto there = static_cast<size_t>(std::min<int64_t>(kLanes, count - i));
    std::memcpy(first + i, high_bytes, there);
    std::memcpy(second + i, low_bytes, there);
  }
}
struct Sum {
  VI high, low;
  HWY_INLINE void Clear() { high = low = hn::Zero(DI()); }
  HWY_INLINE void Add(VU w, VI first, VI second) {
    // By intrinsics GCC 12 copies every sum to another register and back.
    asm("vpdpbusd %2, %1, %0" : "+v"(high.raw) : "v"(w.raw), "v"(first.raw));
    asm("vpdpbusd %2, %1, %0" : "+v"(low.raw) : "v"(w.raw), "v"(second.raw));
  }
  HWY_INLINE void Add(const Sum& more) {
    high = hn::Add(high, more.high), low = hn::Add(low, more.low);
  }
  HWY_INLINE VI total() const { return hn::Add(hn::ShiftLeft<8>(high), low); }
};
#else
// The first plane holds the values of columns 0 and 2, the second those of 1 and 3.
HWY_INLINE void Split(const int32_t* q, int64_t count, uint8_t* first, uint8_t* second) {
  for (int64_t i = 0; i < count; i += 4) {
    const int16_t even[2] = {static_cast<int16_t>(q[i]), static_cast<int16_t>(q[i + 2])};
    const int16_t odd[2] = {static_cast<int16_t>(q[i + 1]), static_cast<int16_t>(q[i + 3])};
    std::memcpy(first + i, even, 4);
    std::memcpy(second + i, odd, 4);
  }
}
// Lanes hold two codes and two values of 16 bits: the sum of both products.
HWY_INLINE VI AddPairs(VI sum, VU w, VI x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR  // where the accumulation is in order of lanes
  const hn::Repartition<int16_t, DI> halves;
  VI unused = hn::Zero(DI());
  return hn::ReorderWidenMulAccumulate(DI(), hn::BitCast(halves, w), hn::BitCast(halves, x), sum,
                                       unused);
#else
  const VI codes = hn::BitCast(DI(), w);
  const VI low =
      hn::Mul(hn::And(codes, hn::Set(DI(), 0xFFFF)), hn::ShiftRight<16>(hn::ShiftLeft<16>(x)));
  return hn::Add(sum, hn::Add(low, hn::Mul(hn::ShiftRight<16>(codes), hn::ShiftRight<16>(x))));
#endif
}
struct Sum {
  VI all;
  HWY_INLINE Sum() {}  // written out: what the compiler adds itself is not made for this target
  HWY_INLINE void Clear() { all = hn::Zero(DI()); }
  HWY_INLINE void Add(VU w, VI first, VI second) {
    const VU bytes = hn::Set(DU(), 0x00FF00FFu);
    all = AddPairs(all, hn::And(w, bytes), first);
    all = AddPairs(all, hn::And(hn::ShiftRight<8>(w), bytes), second);
  }
  HWY_INLINE void Add(const Sum& more) { all = hn::Add(all, more.all); }
  HWY_INLINE VI total() const { return all; }
};
#endif

struct Product {
  PackedLayout layout;
  const std::byte* tiles;
  const Rounded* rows;
  float* c;
  int64_t c_row, n;

  const std::byte* vector(int64_t v) const {  // its first scale
    return tiles + v / kVectors * layout.tile_bytes() + v % kVectors * kLanes * 4;
  }
};

HWY_INLINE VI Spread(const uint8_t* plane) {
  int32_t four;
  std::memcpy(&four, plane, 4);
  return hn::Set(DI(), four);
}

// kStep columns of a block. A function: in a lambda GCC 12 keeps the sums in memory.
template <int kBits, int kWays, int kR, int kV>
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
template <int kBits, int kBlock, int kR, int kV>
HWY_INLINE void Codes(const std::byte* codes, const Rounded* rows, int64_t at, int64_t any_block,
                      VI (&out)[kR][kV]) {
  constexpr int kWays = kR == 1 ? 2 : 1;  // chains of sums: alone one would wait for itself
  constexpr int kStep = kBits == 8 ? 4 * kWays : 8;
  const uint8_t *firsts[kR], *seconds[kR];
  Sum sums[kWays][kR][kV];
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

template <int kBits, int kR, int kV>
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
      Codes<kBits, kStraight ? 64 : 0>(codes, p.rows + row, at, block, whole);
    else if (kStraight && block == 128)
      Codes<kBits, kStraight ? 128 : 0>(codes, p.rows + row, at, block, whole);
    else
      Codes<kBits, 0>(codes, p.rows + row, at, block, whole);
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

template <int kBits, int kV>
void AllRows(const Product& p, int64_t m, int64_t vector) {
  int64_t row = 0;
  for (; row + kRows <= m; row += kRows) Tile<kBits, kRows, kV>(p, row, vector);
  if (kRows > 4 && row + 4 <= m) {
    Tile<kBits, 4, kV>(p, row, vector);
    row += 4;
  }
  if (row + 2 <= m) {
    Tile<kBits, 2, kV>(p, row, vector);
    row += 2;
  }
  if (row < m) Tile<kBits, 1, kV>(p, row, vector);
}

// A block of a row: rounded to 16 bits by its largest. What is not finite stays so in the scale.
void RoundBlock(const float* x, int64_t count, int64_t block, uint8_t* first, uint8_t* second,
                float& scale, int32_t& sum) {
  const DF d;
  alignas(64) float padded[128];
  alignas(64) int32_t q[128];
  std::memcpy(padded, x, sizeof(float) * static_cast<size_t>(count));
  std::fill(padded + count, padded + std::max<int64_t>(block, kLanes), 0.f);
  VF high = hn::Zero(d), odd = hn::Zero(d);  // odd stays 0 as long as everything is finite
  for (int64_t i = 0; i < block; i += kLanes) {
    const VF x_i = hn::Load(d, padded + i);
    high = hn::Max(high, hn::Abs(x_i));
    odd = hn::Add(odd, hn::Sub(x_i, x_i));
  }
  const float most = hn::GetLane(hn::MaxOfLanes(d, high));
  const bool finite = hn::GetLane(hn::SumOfLanes(d, odd)) == 0;
  scale = finite ? most / kMost : NAN;
  const bool any = finite && most > 1e-30f;
  const VF by = hn::Set(d, any ? kMost / most : 0.f);
  VI all = hn::Zero(DI());
  for (int64_t i = 0; i < block; i += kLanes) {
    const VI near = any ? hn::NearestInt(hn::Mul(hn::Load(d, padded + i), by)) : hn::Zero(DI());
    all = hn::Add(all, near);
    hn::Store(near, DI(), q + i);
  }
  sum = hn::GetLane(hn::SumOfLanes(DI(), all));
  Split(q, block, first, second);
}

}  // namespace

void GemmPacked(const Gemm& g) {
#if HWY_TARGET == HWY_AVX3 && (HWY_TARGETS & HWY_AVX2)
  static const bool vnni = isa_has_vnni();
  if (!vnni) return N_AVX2::GemmPacked(g);
#endif
  Product p;
  p.layout = packed_layout(g.b);
  p.tiles = static_cast<const std::byte*>(g.b) + PackedLayout::kHead;
  p.c = static_cast<float*>(g.c), p.c_row = g.c_row, p.n = g.n;
  const int64_t block = p.layout.block, blocks = p.layout.blocks, wide = block * blocks;
  const auto m = static_cast<size_t>(g.m), all = m * static_cast<size_t>(wide);
  const cpu::Workspace planes(2 * all), scales(8 * m * static_cast<size_t>(blocks));
  const cpu::Workspace table(sizeof(Rounded) * m);
  parallel_for(g.m, (1 << 14) / wide + 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      uint8_t* const first = planes.as<uint8_t>() + 2 * r * wide;
      float* const scale = scales.as<float>() + 2 * r * blocks;
      auto* const sums = reinterpret_cast<int32_t*>(scale + blocks);
      const float* const x = static_cast<const float*>(g.a) + r * g.a_row;
      for (int64_t b = 0; b < blocks; ++b)
        RoundBlock(x + b * block, std::min(block, g.k - b * block), block, first + b * block,
                   first + wide + b * block, scale[b], sums[b]);
      table.as<Rounded>()[r] = {first, first + wide, scale, sums};
    }
  });
  p.rows = table.as<Rounded>();
  // Few rows wait for memory, which gives long runs faster: a few for each thread, and none so
  // short that its beginning, which nobody asked for beforehand, would count.
  const int64_t vectors = p.layout.tiles() * kVectors, pairs = (vectors + kAtOnce - 1) / kAtOnce;
  const int64_t pair_bytes = p.layout.tile_bytes() * kAtOnce / kVectors, threads = thread_count();
  const int64_t long_run = std::max(pairs / 16, (int64_t{1} << 18) / pair_bytes);
  const int64_t run =
      g.m > 8 ? 4 : std::clamp<int64_t>(long_run, 1, (pairs + threads - 1) / threads);
  parallel_for(pairs, run, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin * kAtOnce; v < std::min(vectors, end * kAtOnce); v += kAtOnce) {
      const bool both = v + kAtOnce <= vectors;
      if (p.layout.bits == 8)
        both ? AllRows<8, kAtOnce>(p, g.m, v) : AllRows<8, 1>(p, g.m, v);
      else
        both ? AllRows<4, kAtOnce>(p, g.m, v) : AllRows<4, 1>(p, g.m, v);
    }
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmPacked);

void gemm_packed(const Gemm& g) { HWY_DYNAMIC_DISPATCH(GemmPacked)(g); }

}  // namespace jogak::cpu
#endif
