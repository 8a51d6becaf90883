#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct DropRule {
  uint64_t seed = 0, stream = 0;
  uint32_t limit = 0;  // words of the stream below it drop their element
  double scale = 1;    // of the elements that stay
};

inline DropRule drop_rule(double rate, uint64_t seed, uint64_t stream) {
  return {seed, stream, static_cast<uint32_t>(rate * 0x1p32), 1 / (1 - rate)};
}

struct DropoutArgs {
  DType dtype;
  DropRule rule;
  const void* x;
  void* y;
  int64_t count;
  uint64_t first = 0;  // element of what is dropped that x begins with; a multiple of 4
};

void run(OnCpu, const DropoutArgs& a);

namespace cuda {
void run(OnCuda, const DropoutArgs& a);
}  // namespace cuda

}  // namespace jogak
