#include "nn/gated.h"

#include "ops/activation.h"
#include "ops/mul.h"
#include "ops/slice.h"
#include "ops/swiglu.h"

namespace jogak {

Tensor gated(const Tensor& both, Activation activation) {
  if (activation == Activation::silu) return swiglu_packed(both);
  const int64_t inner = both.dim(-1) / 2, sizes[] = {inner, inner};
  const auto parts = split(both, both.rank() - 1, sizes);
  return activate(parts[0], activation) * parts[1];
}

}  // namespace jogak
