#include "ops/kernels/isa.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdlib>
#include <string_view>

#include "base/cpu_features.h"
#include "ops/kernels/isa_small.h"

namespace jogak {
namespace {

std::string_view limit() {
  static const char* const name = std::getenv("JOGAK_MAX_ISA");
  return name ? name : "";
}

}  // namespace

const char* isa_name() {
  const int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
  hwy::GetChosenTarget().Update(best);  // asking made Highway forget the targets we switched off
  if (best & HWY_AVX3) return isa_has_amx() ? "avx512-amx" : "avx512";
  if (best & HWY_AVX2) return "avx2";
  return HWY_ARCH_ARM ? "neon" : "baseline";
}

bool isa_has_vnni() {
  return (limit().empty() || limit() == "avx512-bf16") && cpu_features().avx512_vnni;
}

bool isa_has_avx_vnni() {
  return (limit().empty() || limit() == "avx2-vnni") && cpu_features().avx_vnni;
}

bool isa_has_bf16() {
  return (limit().empty() || limit() == "avx512-bf16") && cpu_features().avx512_bf16;
}

bool isa_has_amx() { return limit().empty() && cpu_features().amx; }

bool detail::apply_isa_limit() {
  static const bool once = [] {
    int64_t off = 0;
    if (limit().starts_with("avx2") || limit() == "baseline") off |= HWY_AVX3 | HWY_AVX3_DL;
    if (limit() == "baseline") off |= HWY_AVX2;
    if (off) hwy::DisableTargets(off);
    return true;
  }();
  return once;
}

}  // namespace jogak
