// A linear layer with the exact GELU by one kernel, where the build found CUTLASS' headers.
#pragma once

#include "ops/linear_kernel.h"

namespace jogak::cuda {

#ifdef JOGAK_WITH_CUTLASS  // defined for this folder
inline constexpr bool kWithCutlass = true;
#else
inline constexpr bool kWithCutlass = false;
#endif

// Large layers in bf16 of which nothing but the activation's result is kept, on Hopper. False: it
// is another, and nothing was done.
bool gelu_product(OnCuda on, const LinearArgs& a);

}  // namespace jogak::cuda
