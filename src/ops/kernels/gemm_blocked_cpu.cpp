// Products of f32 and f64.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemm_blocked_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "ops/kernels/blocked-inl.h"
#include "ops/kernels/gemm_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

void GemmBlocked(const Gemm& g, const cpu::PartDone* done) {
  if (g.dtype == DType::f64) return BlockedProduct<Plain<double>>(g, done);
  BlockedProduct<Plain<float>>(g, done);
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(GemmBlocked);

bool gemm_blocked(const Gemm& g, const PartDone* done) {
  HWY_DYNAMIC_DISPATCH(GemmBlocked)(g, done);
  return done != nullptr;
}

}  // namespace jogak::cpu
#endif
