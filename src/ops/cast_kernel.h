#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct CastArgs {  // between f32, bf16 and f16; both dense
  DType from, to;
  const void* x;
  void* y;
  int64_t count;
};

void run(OnCpu, const CastArgs& a);

namespace cuda {
void run(OnCuda, const CastArgs& a);
}  // namespace cuda

}  // namespace jogak
