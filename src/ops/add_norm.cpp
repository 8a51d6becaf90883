#include "ops/add_norm.h"

#include "ops/norm.h"

namespace jogak {
namespace {

// Gradients of x, residual, weight and bias from those of the sum and of its norm; either may
// be undefined. x and residual share one tensor; where there is no residual nobody asks for its.
Grads backward(const NormBack& back, const Tensor& dsum, const Tensor& dy) {
  if (!dy.defined()) return {dsum, dsum, Tensor(), Tensor()};
  const Grads grads = back(dy, dsum);
  return {grads[0], grads[0], grads[1], grads[2]};
}

}  // namespace

std::pair<Tensor, Tensor> add_layer_norm(const Tensor& x, const Tensor& residual,
                                         const Tensor& weight, const Tensor& bias, double eps) {
  const Normed n = normalise({"add_layer_norm", true, eps}, x, residual, weight, bias);
  Tensor outputs[] = {residual.defined() ? n.x : n.x.detach(), n.y};
  const Tensor inputs[] = {x, residual, weight, bias};
  record_many("add_layer_norm", outputs, inputs,
              [back = NormBack(true, n, needs_grad(x) || needs_grad(residual), weight, bias)](
                  std::span<const Tensor> grads) { return backward(back, grads[0], grads[1]); });
  return {outputs[0], outputs[1]};
}

std::pair<Tensor, Tensor> add_rms_norm(const Tensor& x, const Tensor& residual,
                                       const Tensor& weight, double eps) {
  const Normed n = normalise({"add_rms_norm", false, eps}, x, residual, weight, Tensor());
  Tensor outputs[] = {residual.defined() ? n.x : n.x.detach(), n.y};
  const Tensor inputs[] = {x, residual, weight, Tensor()};
  record_many("add_rms_norm", outputs, inputs,
              [back = NormBack(false, n, needs_grad(x) || needs_grad(residual), weight, Tensor())](
                  std::span<const Tensor> grads) { return backward(back, grads[0], grads[1]); });
  return {outputs[0], outputs[1]};
}

}  // namespace jogak
