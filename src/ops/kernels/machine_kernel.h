#pragma once

#include <cstdint>

namespace jogak::cpu {

// `rounds` times 12 independent fused multiply-adds on vectors; returns multiply-adds done per
// lane-sum, so that nothing is optimised away. flops() of one round on this instruction set.
float fma_rounds(int64_t rounds);
double fma_flops_per_round();

// The same with the fastest product of bf16, or of bytes, that the processor has: the operations
// that were done, 0 without a wait where it has none.
double bf16_rounds(int64_t rounds);
double int8_rounds(int64_t rounds);

float sum_of(const float* x, int64_t n);  // reads everything once

}  // namespace jogak::cpu
