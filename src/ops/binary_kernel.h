// Elementwise kernels of two operands, shared by add.cpp and mul.cpp.
#pragma once

#include <cstdint>

#include "ops/broadcast.h"
#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

enum class Binary : uint8_t { add, sub, mul };

struct BinaryArgs {
  DType dtype;
  Binary kind;
  Loops loops;  // steps 0, 1, 2: y (dense), a and b; in the last axis a and b step by 0 or 1
  const void *a, *b;
  void* y;
};

struct ScaleArgs {  // y = x * factor
  DType dtype;
  const void* x;
  double factor;
  void* y;
  int64_t count;
};

void run(OnCpu, const BinaryArgs& a);
void run(OnCpu, const ScaleArgs& a);

namespace cuda {
void run(OnCuda, const BinaryArgs& a);
void run(OnCuda, const ScaleArgs& a);
}  // namespace cuda

}  // namespace jogak
