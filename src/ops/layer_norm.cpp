#include "ops/layer_norm.h"

#include "ops/norm.h"

namespace jogak {

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  const Normed n = normalise({"layer_norm", true, eps}, x, Tensor(), weight, bias);
  return record("layer_norm", n.y, {x, weight, bias},
                NormBack(true, n, needs_grad(x), weight, bias));
}

}  // namespace jogak
