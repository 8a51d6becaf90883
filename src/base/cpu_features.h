// What this processor can do with small numbers, beyond the vectors that kernels are compiled for.
#pragma once

namespace jogak {

struct CpuFeatures {
  bool avx512_vnni = false;  // sums of four products of bytes, in vectors of 512 bits
  bool avx512_bf16 = false;  // sums of two products of bf16
  bool avx_vnni = false;     // the first in vectors of 256 bits, without AVX-512
  bool amx = false;          // tiles of bf16 and of bytes, which the system lets this process use
};

// Asked of the processor once. Nothing on machines that are not x86.
const CpuFeatures& cpu_features();

// Tells the processor that this thread only waits for another one.
void pause_briefly();

}  // namespace jogak
