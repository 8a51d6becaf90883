// The machine's peaks, measured with kernels that do nothing else.
#pragma once

namespace jogak {

struct MachinePeaks {
  double gflops_f32 = 0;   // fused multiply-adds in registers, all threads
  double gflops_bf16 = 0;  // bf16 matrix product with f32 sums, as the library does it best
  double read_gb_s = 0;    // reading memory far larger than the caches
};

MachinePeaks measure_machine();

}  // namespace jogak
