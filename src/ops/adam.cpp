#include "ops/adam.h"

#include <cmath>
#include <vector>

#include "ops/adam_kernel.h"

namespace jogak {
namespace {

void check(const AdamTensor& t) {
  const DType dtype = t.weight.dtype();
  ensure<ShapeError>(dtype == DType::f32 || dtype == DType::f64, "adam: found a weight of ", dtype,
                     ", wanted f32 or f64");
  ensure<ShapeError>(!t.copy.defined() || (t.copy.dtype() == DType::bf16 && dtype == DType::f32),
                     "adam: found a copy of ", t.copy.defined() ? t.copy.dtype() : dtype,
                     " of a weight of ", dtype, ", wanted bf16 of f32");
  for (const Tensor* x : {&t.grad, &t.m, &t.v, &t.copy}) {
    if (x == &t.copy && !x->defined()) continue;
    const bool may_be_short = t.copy.defined() && (x == &t.grad || x == &t.copy);
    const bool fits = x->dtype() == dtype || (may_be_short && x->dtype() == t.copy.dtype());
    ensure<ShapeError>(x->shape() == t.weight.shape() && fits, "adam: found ", x->dtype(), " ",
                       x->shape(), " beside a weight of ", dtype, " ", t.weight.shape());
    ensure<DeviceError>(&x->device() == &t.weight.device(), "adam: a weight on ",
                        t.weight.device().name(), " and its gradient or state on ",
                        x->device().name());
  }
  for (const Tensor* x : {&t.weight, &t.m, &t.v, &t.copy})
    ensure<ShapeError>(!x->defined() || x->is_dense(), "adam: wanted dense tensors, got strides ",
                       x->strides());
}

AdamPiece piece_of(const AdamTensor& t, const Tensor& grad, const AdamRule& rule) {
  return {.dtype = t.weight.dtype(),
          .weight = t.weight.raw(),
          .grad = grad.raw(),
          .m = t.m.raw(),
          .v = t.v.raw(),
          .count = t.weight.count(),
          .shrink = rule.decoupled ? t.decay : 0,
          .pull = rule.decoupled ? 0 : t.decay,
          .short_grad = grad.dtype() != t.weight.dtype(),
          .copy = t.copy.defined() ? t.copy.raw() : nullptr};
}

}  // namespace

UpdateNumbers numbers_of(const AdamRule& rule) {
  const auto step = static_cast<double>(rule.step);
  return {.scale = rule.grad_scale,
          .rate = rule.rate,
          .m_rate = rule.rate / (1 - std::pow(rule.beta1, step)),
          .v_root = 1 / std::sqrt(1 - std::pow(rule.beta2, step))};
}

void adam_step(std::span<const AdamTensor> tensors, const AdamRule& rule) {
  ensure<Error>(rule.step >= 1, "adam: found step ", rule.step, ", wanted 1 or more");
  if (tensors.empty()) return;
  AdamArgs args{numbers_of(rule), on_device(rule.numbers), rule.beta1, rule.beta2, rule.eps, {}};
  std::vector<Tensor> packed;  // gradients that were not dense, until the kernel is in the queue
  for (const AdamTensor& t : tensors) {
    check(t);
    packed.push_back(dense(t.grad));
    args.tensors.push_back(piece_of(t, packed.back(), rule));
    for (const Tensor* x : {&t.weight, &t.m, &t.v}) x->storage()->bump_version();
    if (t.copy.defined()) t.copy.storage()->bump_version();
  }
  launch(tensors[0].weight.device(), std::move(args));
}

}  // namespace jogak
