// The machine's peaks, measured with kernels that do nothing else.
#pragma once

namespace jogak {

struct MachinePeaks {
  double gflops_f32 = 0;   // fused multiply-adds in registers, all threads
  double gflops_bf16 = 0;  // product of f32 with weights in bf16, as the library does it
  double read_gb_s = 0;    // reading memory far larger than the caches
};

MachinePeaks measure_machine();
double measure_read_gb_s();  // the last of them alone

}  // namespace jogak
