// Attention by cuDNN, opened at run time, where the build found its header-only frontend.
#pragma once

#include "ops/attention_kernel.h"

namespace jogak::cuda {

#ifdef JOGAK_WITH_CUDNN  // defined for this folder
inline constexpr bool kWithCudnn = true;
#else
inline constexpr bool kWithCudnn = false;
#endif

bool found_cudnn();  // on this machine

// False: cuDNN is not there or does not take this call, and nothing was done. Whether it takes one
// follows from its shape alone, so that a run gives the same bits from beginning to end. A call is
// planned once a shape, which takes a while: only long rows that learn, and many
// rows at once, are worth it.
bool cudnn_attention(OnCuda on, const AttentionArgs& g);
bool cudnn_attention_backward(OnCuda on, const AttentionBackwardArgs& g);

}  // namespace jogak::cuda
