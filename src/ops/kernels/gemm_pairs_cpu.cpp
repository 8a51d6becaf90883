// Products of bf16, with sums in f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_pairs_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "ops/kernels/blocked-inl.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

template <bool kDot>
void ProductOfPairs(const Gemm& g) {
  if (g.c_f32) return BlockedProduct<Pairs<float, kDot>>(g);
  if (!g.accumulate && g.k <= 2 * kGemmChunk) return BlockedProduct<Pairs<BFloat16, kDot>>(g);
  // Sums of several chunks are made in f32 and rounded once.
  const cpu::Workspace sums(sizeof(float) * static_cast<size_t>(g.m * g.n));
  auto* const c = static_cast<BFloat16*>(g.c);
  float* const wide = sums.as<float>();
  const auto each_row = [&](auto&& row) {
    parallel_for(g.m, (1 << 15) / g.n + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) row(c + i * g.c_row, wide + i * g.n);
    });
  };
  if (g.accumulate)
    each_row([&](const BFloat16* from, float* to) {
      for (int64_t j = 0; j < g.n; ++j) to[j] = static_cast<float>(from[j]);
    });
  Gemm in_f32 = g;
  in_f32.c = wide, in_f32.c_row = g.n, in_f32.c_f32 = true;
  BlockedProduct<Pairs<float, kDot>>(in_f32);
  each_row([&](BFloat16* to, const float* from) { Pairs<BFloat16, kDot>::Store(from, g.n, to); });
}

}  // namespace

void GemmPairs(const Gemm& g) {
#if HWY_TARGET == HWY_AVX3
  if (isa_has_bf16()) return ProductOfPairs<true>(g);
#endif
  ProductOfPairs<false>(g);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmPairs);

void gemm_pairs(const Gemm& g) { HWY_DYNAMIC_DISPATCH(GemmPairs)(g); }

}  // namespace jogak::cpu
#endif
