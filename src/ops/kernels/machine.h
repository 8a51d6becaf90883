// The machine's peaks, measured with kernels that do nothing else.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace jogak {

struct MachinePeaks {
  double gflops_f32 = 0;   // fused multiply-adds in registers, all threads
  double gflops_bf16 = 0;  // the fastest products of bf16, f32's where there are none
  double gops_int8 = 0;    // the same of bytes; 0 where there are none
  double read_gb_s = 0;    // reading memory far larger than the caches
};

MachinePeaks measure_machine();

// The three products of a layer, y [m, n] = x [m, k] W^T and its gradients, in GFLOP/s, and the
// peak of that type between them: each the best of several rounds. Of DType::packed, weights in 8
// bits, the first alone, held against what bytes give, or half of it where values have 16 bits.
struct LayerSpeed {
  double forward = 0, inputs = 0, weights = 0, peak = 0;
};
LayerSpeed measure_layer(int64_t m, int64_t n, int64_t k, DType dtype = DType::f32,
                         int value_bits = 16);

// How fast memory is read at this moment: others on the machine change it from second to second, so
// what is held against it is measured alternately with it.
class ReadMeter {
 public:
  ReadMeter();
  double once() const;  // GB/s of one pass of 256 MiB, a few milliseconds
  double best() const;  // of several

 private:
  static constexpr int64_t kFloats = int64_t{64} << 20;
  Tensor memory_;
};

}  // namespace jogak
