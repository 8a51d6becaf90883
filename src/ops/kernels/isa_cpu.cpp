#include "ops/kernels/isa.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdlib>
#include <string_view>

namespace jogak {

const char* isa_name() {
  const int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
  hwy::GetChosenTarget().Update(best);  // asking made Highway forget the targets we switched off
  if (best & HWY_AVX3) return "avx512";
  if (best & HWY_AVX2) return "avx2";
  return HWY_ARCH_ARM ? "neon" : "baseline";
}

bool isa_has_vnni() {
#if HWY_ARCH_X86 && defined(__GNUC__)
  static const bool has = [] {
    const char* limit = std::getenv("JOGAK_MAX_ISA");
    return (!limit || !*limit) && __builtin_cpu_supports("avx512vnni") != 0;
  }();
  return has;
#else
  return false;
#endif
}

bool isa_has_bf16() {
#if HWY_ARCH_X86 && defined(__GNUC__)
  static const bool has = [] {
    const char* limit = std::getenv("JOGAK_MAX_ISA");
    return (!limit || !*limit) && __builtin_cpu_supports("avx512bf16") != 0;
  }();
  return has;
#else
  return false;
#endif
}

bool detail::apply_isa_limit() {
  static const bool once = [] {
    const char* limit = std::getenv("JOGAK_MAX_ISA");
    const std::string_view name = limit ? limit : "";
    int64_t off = 0;
    if (name == "avx2" || name == "baseline") off |= HWY_AVX3 | HWY_AVX3_DL;
    if (name == "baseline") off |= HWY_AVX2;
    if (off) hwy::DisableTargets(off);
    return true;
  }();
  return once;
}

}  // namespace jogak
