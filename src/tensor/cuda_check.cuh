// What the CUDA runtime says, as errors.
#pragma once

#include <cuda_runtime.h>

#include "base/error.h"

namespace jogak::cuda {

inline void check(cudaError_t result, const char* what) {  // DeviceError unless all went well
  ensure<DeviceError>(result == cudaSuccess, "cuda: ", what, ": ", cudaGetErrorString(result));
}

}  // namespace jogak::cuda
