#include "base/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace jogak {
namespace {

#if defined(__x86_64__)
// Tiles are 8 KB of a thread's state, which Linux keeps for processes that asked for it alone.
bool may_use_tiles() {
  constexpr long kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XTILEDATA
  return syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}

CpuFeatures found() {
  CpuFeatures out;
  out.avx512_vnni = __builtin_cpu_supports("avx512vnni") != 0;
  out.avx512_bf16 = __builtin_cpu_supports("avx512bf16") != 0;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) != 0)
    out.avx_vnni = (a >> 4 & 1) != 0 && __builtin_cpu_supports("avx2") != 0;
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24, kInt8 = 1u << 25;
  constexpr unsigned kAll = kBf16 | kTiles | kInt8;
  if (out.avx512_bf16 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0)
    out.amx = (d & kAll) == kAll && may_use_tiles();
  return out;
}
#else
CpuFeatures found() { return {}; }
#endif

}  // namespace

const CpuFeatures& cpu_features() {
  static const CpuFeatures features = found();
  return features;
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace jogak
