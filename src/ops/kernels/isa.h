// Which instruction set the kernels may use. JOGAK_MAX_ISA=baseline|avx2|avx512 lowers it:
// for tests, and to repeat a result of another machine. avx512 is its core alone, without VNNI.
#pragma once

namespace jogak {

// "avx512", "avx2", "neon" (with fused multiply-adds like these) or "baseline": what kernels use
// now.
const char* isa_name();
// Whether kernels for AVX-512 may use VNNI, sums of four products of bytes.
bool isa_has_vnni();

namespace detail {
bool apply_isa_limit();
// In every file with kernels, so that the limit holds before the first one is chosen.
inline const bool kIsaLimitApplied = apply_isa_limit();
}  // namespace detail

}  // namespace jogak
