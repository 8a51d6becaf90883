// Images as rows of patches, and single tokens of what a model made of them.
#pragma once

#include "tensor/tensor.h"

namespace jogak {

// [B, channels, H, W] -> [B, patches, channels * height * width], row by row; what is left of the
// image below and to the right of the last whole patch is not seen.
Tensor image_patches(const Tensor& pixels, int64_t height, int64_t width);

// Token `which` of each row: [B, T, C] -> [B, C].
Tensor token_at(const Tensor& x, int64_t which);

}  // namespace jogak
