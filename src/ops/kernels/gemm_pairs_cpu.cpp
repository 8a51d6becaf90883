// Products of bf16, with sums in f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_pairs_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "ops/kernels/amx-inl.h"
#include "ops/kernels/blocked-inl.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/isa_small.h"
#include "ops/kernels/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

// Wide, Narrow: what C is summed in, and what is rounded from whole sums.
template <class Wide, class Narrow>
void ProductOfPairs(const Gemm& g) {
  if (g.c_f32) return BlockedProduct<Wide>(g);
  if (!g.accumulate && LinesOfWhole<Narrow>(PackedSteps<Narrow>(g.k)) > 0)
    return BlockedProduct<Narrow>(g);
  // What is deeper, or added to what C held, is made in f32 beside it.
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
  BlockedProduct<Wide>(in_f32);
  each_row([&](BFloat16* to, const float* from) { Narrow::Store(from, g.n, to); });
}

}  // namespace

void GemmPairs(const Gemm& g) {
#if HWY_TARGET == HWY_AVX3
  if (isa_has_amx()) return AmxProduct<AmxTiles>(g);
  if (isa_has_bf16()) return ProductOfPairs<Pairs<float, true>, Pairs<BFloat16, true>>(g);
#endif
  ProductOfPairs<Pairs<float, false>, Pairs<BFloat16, false>>(g);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmPairs);

void gemm_pairs(const Gemm& g) { HWY_DYNAMIC_DISPATCH(GemmPairs)(g); }

}  // namespace jogak::cpu
#endif
