// What tensors do with their own memory, as kernels.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "tensor/dtype.h"
#include "tensor/launch.h"
#include "tensor/shape.h"

namespace jogak {

struct ArangeArgs {
  int64_t* out;
  int64_t begin, count;
};

struct RandnArgs {
  DType dtype;
  void* out;
  int64_t count;
  Rng rng;
};

struct CopyArgs {  // any two layouts of one shape; converts
  DType to_dtype, from_dtype;
  void* to;
  const void* from;
  Shape shape;
  Strides to_strides, from_strides;
};

struct FillArgs {
  DType dtype;
  void* out;
  int64_t count;
  double value;
};

struct AccumulateArgs {  // sum += part
  DType dtype;
  void* sum;
  const void* part;
  int64_t count;
};

struct ScaleInPlaceArgs {
  DType dtype;
  void* x;
  int64_t count;
  double factor;
};

struct IncrementArgs {
  int64_t* number;
};

void run(OnCpu, const ArangeArgs& a);
void run(OnCpu, const RandnArgs& a);
void run(OnCpu, const CopyArgs& a);
void run(OnCpu, const FillArgs& a);
void run(OnCpu, const AccumulateArgs& a);
void run(OnCpu, const ScaleInPlaceArgs& a);
void run(OnCpu, const IncrementArgs& a);

namespace cuda {
void run(OnCuda, const ArangeArgs& a);
void run(OnCuda, const RandnArgs& a);
void run(OnCuda, const CopyArgs& a);
void run(OnCuda, const FillArgs& a);
void run(OnCuda, const AccumulateArgs& a);
void run(OnCuda, const ScaleInPlaceArgs& a);
void run(OnCuda, const IncrementArgs& a);
}  // namespace cuda

}  // namespace jogak
