#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct ArgmaxArgs {
  DType dtype;
  const void* x;
  int64_t* ids;
  int64_t rows, cols;
  bool finite;  // -1 for what is not
};

struct TopKArgs {
  DType dtype;
  const void* x;
  void* values;  // values and ids [rows, k]
  int64_t* ids;
  int64_t rows, cols, k;
};

struct TopKBackwardArgs {  // dx = zeros, then dvalues at ids
  DType dtype;
  const void* dvalues;
  const int64_t* ids;
  void* dx;
  int64_t rows, cols, k;
};

void run(OnCpu, const ArgmaxArgs& a);
void run(OnCpu, const TopKArgs& a);
void run(OnCpu, const TopKBackwardArgs& a);

namespace cuda {
void run(OnCuda, const ArgmaxArgs& a);
void run(OnCuda, const TopKArgs& a);
void run(OnCuda, const TopKBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
