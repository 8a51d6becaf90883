#include "ops/sgd.h"

#include <vector>

#include "ops/sgd_kernel.h"

namespace jogak {
namespace {

void check(const SgdTensor& t) {
  const DType dtype = t.weight.dtype();
  ensure<ShapeError>(dtype == DType::f32 || dtype == DType::f64, "sgd: found a weight of ", dtype,
                     ", wanted f32 or f64");
  for (const Tensor* x : {&t.grad, &t.momentum}) {
    if (!x->defined()) continue;
    ensure<ShapeError>(x->shape() == t.weight.shape() && x->dtype() == dtype, "sgd: found ",
                       x->dtype(), " ", x->shape(), " beside a weight of ", dtype, " ",
                       t.weight.shape());
    ensure<DeviceError>(&x->device() == &t.weight.device(), "sgd: a weight on ",
                        t.weight.device().name(), " and its gradient or state on ",
                        x->device().name());
  }
  ensure<ShapeError>(t.weight.is_dense() && (!t.momentum.defined() || t.momentum.is_dense()),
                     "sgd: wanted dense tensors");
}

SgdPiece piece_of(const SgdTensor& t, const Tensor& grad) {
  return {.dtype = t.weight.dtype(),
          .weight = t.weight.raw(),
          .grad = grad.raw(),
          .momentum = t.momentum.defined() ? t.momentum.raw() : nullptr,
          .count = t.weight.count(),
          .decay = t.decay};
}

}  // namespace

void sgd_step(std::span<const SgdTensor> tensors, const SgdRule& rule) {
  if (tensors.empty()) return;
  SgdArgs args{
      {.scale = rule.grad_scale, .rate = rule.rate}, on_device(rule.numbers), rule.momentum, {}};
  std::vector<Tensor> packed;  // gradients that were not dense, until the kernel is in the queue
  for (const SgdTensor& t : tensors) {
    check(t);
    packed.push_back(dense(t.grad));
    args.tensors.push_back(piece_of(t, packed.back()));
    t.weight.storage()->bump_version();
    if (t.momentum.defined()) t.momentum.storage()->bump_version();
  }
  launch(tensors[0].weight.device(), std::move(args));
}

}  // namespace jogak
