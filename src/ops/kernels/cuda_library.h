// What computing on a GPU needs of NVIDIA's libraries; see base/shared_library.h.
#pragma once

#include <string>

#include "tensor/launch.h"

namespace jogak {

// What is missing to compute on a GPU, in words; empty: nothing.
std::string missing_cuda_libraries();
// Whose kernels attend on a GPU, in words.
std::string attention_library();

namespace cuda {

// JOGAK_CUDA_ANY_ORDER=1: sums in whatever order is quickest, other bits every run. Only to measure
// what a fixed order costs.
bool any_order();

}  // namespace cuda
}  // namespace jogak
