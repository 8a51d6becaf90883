// Which instruction set the kernels may use. JOGAK_MAX_ISA=baseline|avx2|avx512 lowers it:
// for tests, and to repeat a result of another machine. avx512 is its core alone, without VNNI and
// BF16.
#pragma once

namespace jogak {

// "avx512", "avx2", "neon" (with fused multiply-adds like these) or "baseline": what kernels use
// now.
const char* isa_name();
// Whether kernels for AVX-512 may use VNNI, sums of four products of bytes.
bool isa_has_vnni();
// The same of BF16, sums of two products of bf16.
bool isa_has_bf16();

namespace detail {
bool apply_isa_limit();
// In every file with kernels, so that the limit holds before the first one is chosen.
inline const bool kIsaLimitApplied = apply_isa_limit();
}  // namespace detail

}  // namespace jogak
