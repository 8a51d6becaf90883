// Small integers in products: the values of rows, rounded to 16 bits by the largest of each block,
// and the ways in which processors add up their products with codes. Whole numbers: all give the
// same sums.
#if defined(JOGAK_OPS_PACKED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_PACKED_INL_H_
#undef JOGAK_OPS_PACKED_INL_H_
#else
#define JOGAK_OPS_PACKED_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "ops/gemm.h"
#include "ops/kernels/simd-inl.h"
#include "ops/kernels/workspace.h"
#include "tensor/packed.h"

HWY_BEFORE_NAMESPACE();
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
constexpr int kAtOnce = HWY_TARGET == HWY_SCALAR ? 1 : 2;  // vectors
constexpr int64_t kAhead = 8192;                           // bytes

// The largest rounded value: of 16 bits 127 * 256, so that its upper byte fits.
inline float MostOf(const PackedLayout& layout) { return layout.value_bits == 8 ? 127 : 32512; }

// Rounded values of one row: two planes of 4 bytes for every four columns, as a way wants them.
struct Rounded {
  const uint8_t *first, *second;
  const float* scales;  // of blocks
  const int32_t* sums;  // of rounded values in blocks, for the zeros
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
// By VNNI, sums of four products of bytes: value = 256 * first + second, both signed. Values of 8
// bits have a first plane of zeros.
struct ByBytes {
  static constexpr int kRows = HWY_TARGET == HWY_AVX3 ? 6 : 2;  // at a time: two sums for each

  static HWY_INLINE void Split(const int32_t* q, int64_t count, uint8_t* first, uint8_t* second) {
    const hn::Rebind<uint8_t, DU> bytes;
    alignas(64) uint8_t high_bytes[kLanes], low_bytes[kLanes];
    for (int64_t i = 0; i < count; i += kLanes) {
      const VI all = hn::Load(DI(), q + i);
      const VI high = hn::ShiftRight<8>(hn::Add(all, hn::Set(DI(), 128)));
      // The lower byte of a value is what is left of it, as a signed byte.
      const bool whole = i + kLanes <= count;
      hn::StoreU(hn::TruncateTo(bytes, hn::BitCast(DU(), high)), bytes,
                 whole ? first + i : high_bytes);
      hn::StoreU(hn::TruncateTo(bytes, hn::BitCast(DU(), all)), bytes,
                 whole ? second + i : low_bytes);
      if (whole) continue;
      const auto there = static_cast<size_t>(std::min<int64_t>(kLanes, count - i));
      std::memcpy(first + i, high_bytes, there);
      std::memcpy(second + i, low_bytes, there);
    }
  }
  struct Sum {
    VI high, low;
    HWY_INLINE Sum() {}
    HWY_INLINE void Clear() { high = low = hn::Zero(DI()); }
    HWY_INLINE void Add(VU w, VI first, VI second) {
      // By intrinsics GCC 12 copies every sum to another register and back.
#if HWY_TARGET == HWY_AVX3
      asm("vpdpbusd %2, %1, %0" : "+v"(high.raw) : "v"(w.raw), "v"(first.raw));
      asm("vpdpbusd %2, %1, %0" : "+v"(low.raw) : "v"(w.raw), "v"(second.raw));
#else  // AVX-VNNI's is another code than AVX-512's of the same name
      asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(high.raw) : "x"(w.raw), "x"(first.raw));
      asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(low.raw) : "x"(w.raw), "x"(second.raw));
#endif
    }
    HWY_INLINE void Add(const Sum& more) {
      high = hn::Add(high, more.high), low = hn::Add(low, more.low);
    }
    HWY_INLINE VI total() const { return hn::Add(hn::ShiftLeft<8>(high), low); }
  };
};
#endif

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

// By products of 16 bits, in pairs.
struct ByPairs {
  static constexpr int kRows = 4;

  // The first plane holds the values of columns 0 and 2, the second those of 1 and 3.
  static HWY_INLINE void Split(const int32_t* q, int64_t count, uint8_t* first, uint8_t* second) {
    for (int64_t i = 0; i < count; i += 4) {
      const int16_t even[2] = {static_cast<int16_t>(q[i]), static_cast<int16_t>(q[i + 2])};
      const int16_t odd[2] = {static_cast<int16_t>(q[i + 1]), static_cast<int16_t>(q[i + 3])};
      std::memcpy(first + i, even, 4);
      std::memcpy(second + i, odd, 4);
    }
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
};

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

// A block of a row: rounded by its largest. What is not finite stays so in the scale.
template <class Way>
void RoundBlock(const float* x, int64_t count, const PackedLayout& layout, uint8_t* first,
                uint8_t* second, float& scale, int32_t& sum) {
  const DF d;
  const int64_t block = layout.block;
  const float steps = MostOf(layout);
  alignas(64) float padded[128];
  alignas(64) int32_t q[128];
  const float* from = x;
  if (count < std::max<int64_t>(block, kLanes)) {
    std::memcpy(padded, x, sizeof(float) * static_cast<size_t>(count));
    std::fill(padded + count, padded + std::max<int64_t>(block, kLanes), 0.f);
    from = padded;
  }
  VF high = hn::Zero(d), odd = hn::Zero(d);  // odd stays 0 as long as everything is finite
  for (int64_t i = 0; i < block; i += kLanes) {
    const VF x_i = hn::LoadU(d, from + i);
    high = hn::Max(high, hn::Abs(x_i));
    odd = hn::Add(odd, hn::Sub(x_i, x_i));
  }
  const float most = hn::GetLane(hn::MaxOfLanes(d, high));
  const bool finite = hn::GetLane(hn::SumOfLanes(d, odd)) == 0;
  scale = finite ? most / steps : NAN;
  const bool any = finite && most > 1e-30f;
  const VF by = hn::Set(d, any ? steps / most : 0.f);
  VI all = hn::Zero(DI());
  for (int64_t i = 0; i < block; i += kLanes) {
    const VI near = any ? hn::NearestInt(hn::Mul(hn::LoadU(d, from + i), by)) : hn::Zero(DI());
    all = hn::Add(all, near);
    hn::Store(near, DI(), q + i);
  }
  sum = hn::GetLane(hn::SumOfLanes(DI(), all));
  Way::Split(q, block, first, second);
}

// Codes of 4 bits as bytes: a line of eight columns is two of four.
inline void UnpackCodes(const std::byte* codes, int64_t block, std::byte* out) {
  const VU low = hn::Set(DU(), 0x0F0F0F0Fu);
  for (int64_t line = 0; line < block / 8; ++line)
    for (int64_t half = 0; half < PackedLayout::kLine; half += 4 * kLanes) {
      const auto* const from = codes + line * PackedLayout::kLine + half;
      auto* const to = out + 2 * line * PackedLayout::kLine + half;
      const VU both = hn::LoadU(DU(), reinterpret_cast<const uint32_t*>(from));
      hn::StoreU(hn::And(both, low), DU(), reinterpret_cast<uint32_t*>(to));
      hn::StoreU(hn::And(hn::ShiftRight<4>(both), low), DU(),
                 reinterpret_cast<uint32_t*>(to + PackedLayout::kLine));
    }
}

// The rows of a product, rounded. Planes are filled up to sixteen rows, which tiles read.
template <class Way>
struct RoundedRows {
  int64_t wide;  // bytes of a plane; two of them are a row
  cpu::Workspace planes, scales, table;

  RoundedRows(const Gemm& g, const PackedLayout& layout)
      : wide(layout.block * layout.blocks),
        planes(static_cast<size_t>(2 * ((g.m + 15) / 16 * 16) * wide)),
        scales(static_cast<size_t>(8 * g.m * layout.blocks)),
        table(sizeof(Rounded) * static_cast<size_t>(g.m)) {
    const int64_t block = layout.block, blocks = layout.blocks;
    parallel_for(g.m, (1 << 14) / wide + 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        uint8_t* const first = planes.as<uint8_t>() + 2 * r * wide;
        float* const scale = scales.as<float>() + 2 * r * blocks;
        auto* const sums = reinterpret_cast<int32_t*>(scale + blocks);
        const float* const x = static_cast<const float*>(g.a) + r * g.a_row;
        for (int64_t b = 0; b < blocks; ++b)
          RoundBlock<Way>(x + b * block, std::min(block, g.k - b * block), layout,
                          first + b * block, first + wide + b * block, scale[b], sums[b]);
        table.as<Rounded>()[r] = {first, first + wide, scale, sums};
      }
    });
  }
};

}  // namespace
}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
