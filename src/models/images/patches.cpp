#include "models/images/patches.h"

#include <array>

#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/transpose.h"
#include "ops/unfold.h"

namespace jogak {

Tensor image_patches(const Tensor& pixels, int64_t height, int64_t width) {
  Tensor x = unfold(pixels, 2, height, height);  // [B, ch, h, W, height]
  x = unfold(x, 3, width, width);                // [B, ch, h, w, height, width]
  const int64_t count = x.dim(2) * x.dim(3), inside = x.dim(1) * height * width;
  return reshape(permute(x, std::array{0, 2, 3, 1, 4, 5}), {x.dim(0), count, inside});
}

Tensor token_at(const Tensor& x, int64_t which) {
  return reshape(slice(x, 1, which, which + 1), {x.dim(0), x.dim(2)});
}

}  // namespace jogak
