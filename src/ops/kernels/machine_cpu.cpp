#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/machine_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "ops/kernels/amx_tiles-inl.h"
#include "ops/kernels/isa_small.h"
#include "ops/kernels/machine_kernel.h"
#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

inline constexpr int kChains = 12;  // enough to hide the latency of one multiply-add

float FmaRounds(int64_t rounds) {
  const hn::ScalableTag<float> d;
  hn::Vec<decltype(d)> sum[kChains];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) sum[i] = hn::Set(d, static_cast<float>(i));
  const auto a = hn::Set(d, 0.999f), b = hn::Set(d, 0.001f);
  for (int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sum[i] = hn::MulAdd(sum[i], a, b);
  }
  auto all = sum[0];
#pragma GCC unroll 12
  for (int i = 1; i < kChains; ++i) all = hn::Add(all, sum[i]);
  return hn::GetLane(hn::SumOfLanes(d, all));
}

double FmaFlopsPerRound() {
  return 2.0 * kChains * static_cast<double>(hn::Lanes(hn::ScalableTag<float>()));
}

namespace {

#if HWY_TARGET == HWY_AVX3
constexpr double kTileProducts = 16 * 16 * 16;  // of words, for each of which there are 2 or 4

template <class Dot>
void TileRounds(int64_t rounds, Dot dot) {
  UseTiles();
  TileZero<0>(), TileZero<1>(), TileZero<2>(), TileZero<3>(), TileZero<4>(), TileZero<6>();
  for (int64_t r = 0; r < rounds; ++r) dot();
  LeaveTiles();
}
#endif

// `add` on kChains vectors of sums, which wait for nothing but themselves.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
template <class Add>
HWY_INLINE double ChainRounds(int64_t rounds, double products, Add add) {
  const hn::ScalableTag<int32_t> d;
  hn::Vec<decltype(d)> sum[kChains];
  const auto x = hn::Zero(d);
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) sum[i] = x;
  for (int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) add(sum[i], x);
  }
  return 2 * products * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}
#endif

}  // namespace

double Bf16Rounds([[maybe_unused]] int64_t rounds) {
#if HWY_TARGET == HWY_AVX3
  if (isa_has_amx()) {
    TileRounds(rounds, [] {
      TileDotBf16<0, 4, 6>(), TileDotBf16<1, 4, 6>(), TileDotBf16<2, 4, 6>();
      TileDotBf16<3, 4, 6>();
    });
    return 2 * 2 * kTileProducts * 4 * static_cast<double>(rounds);
  }
  if (isa_has_bf16())
    return ChainRounds(rounds, 2, [](auto& sum, auto x) HWY_ATTR {
      asm volatile("vdpbf16ps %1, %1, %0" : "+v"(sum.raw) : "v"(x.raw));
    });
#endif
  return 0;
}

double Int8Rounds([[maybe_unused]] int64_t rounds) {
#if HWY_TARGET == HWY_AVX3
  if (isa_has_amx()) {
    TileRounds(rounds, [] {
      TileDotBytes<0, 4, 6>(), TileDotBytes<1, 4, 6>(), TileDotBytes<2, 4, 6>();
      TileDotBytes<3, 4, 6>();
    });
    return 2 * 4 * kTileProducts * 4 * static_cast<double>(rounds);
  }
  if (isa_has_vnni())
    return ChainRounds(rounds, 4, [](auto& sum, auto x) HWY_ATTR {
      asm volatile("vpdpbusd %1, %1, %0" : "+v"(sum.raw) : "v"(x.raw));
    });
#elif HWY_TARGET == HWY_AVX2
  if (isa_has_avx_vnni())
    return ChainRounds(rounds, 4, [](auto& sum, auto x) HWY_ATTR {
      asm volatile("%{vex%} vpdpbusd %1, %1, %0" : "+x"(sum.raw) : "x"(x.raw));
    });
#endif
  return 0;
}

float SumOf(const float* x, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (int64_t i = 0; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::Add(s0, hn::LoadU(d, x + i));
    s1 = hn::Add(s1, hn::LoadU(d, x + i + lanes));
    s2 = hn::Add(s2, hn::LoadU(d, x + i + 2 * lanes));
    s3 = hn::Add(s3, hn::LoadU(d, x + i + 3 * lanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(FmaRounds);
HWY_EXPORT(FmaFlopsPerRound);
HWY_EXPORT(Bf16Rounds);
HWY_EXPORT(Int8Rounds);
HWY_EXPORT(SumOf);

float fma_rounds(int64_t rounds) { return HWY_DYNAMIC_DISPATCH(FmaRounds)(rounds); }
double fma_flops_per_round() { return HWY_DYNAMIC_DISPATCH(FmaFlopsPerRound)(); }
double bf16_rounds(int64_t rounds) { return HWY_DYNAMIC_DISPATCH(Bf16Rounds)(rounds); }
double int8_rounds(int64_t rounds) { return HWY_DYNAMIC_DISPATCH(Int8Rounds)(rounds); }
float sum_of(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(SumOf)(x, n); }

}  // namespace jogak::cpu
#endif
