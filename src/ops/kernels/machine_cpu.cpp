#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/machine_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

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
HWY_EXPORT(SumOf);

float fma_rounds(int64_t rounds) { return HWY_DYNAMIC_DISPATCH(FmaRounds)(rounds); }
double fma_flops_per_round() { return HWY_DYNAMIC_DISPATCH(FmaFlopsPerRound)(); }
float sum_of(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(SumOf)(x, n); }

}  // namespace jogak::cpu
#endif
