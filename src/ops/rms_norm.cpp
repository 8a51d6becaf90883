#include "ops/rms_norm.h"

#include "ops/norm.h"

namespace jogak {

Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps) {
  const Normed n = normalise({"rms_norm", false, eps}, x, Tensor(), weight, Tensor());
  return record("rms_norm", n.y, {x, weight},
                [back = NormBack(false, n, needs_grad(x), weight, Tensor())](const Tensor& dy) {
                  const Grads grads = back(dy);
                  return Grads{grads[0], grads[1]};
                });
}

}  // namespace jogak
