#include "ops/adam.h"

#include <cmath>
#include <vector>

#include "ops/adam_kernel.h"

namespace jogak {
namespace {

constexpr int64_t kSlice = 1 << 14;  // elements: four arrays of it stay in the L2 cache

void check(const AdamTensor& t) {
  const DType dtype = t.weight.dtype();
  ensure<ShapeError>(dtype == DType::f32 || dtype == DType::f64, "adam: found a weight of ", dtype,
                     ", wanted f32 or f64");
  for (const Tensor* x : {&t.grad, &t.m, &t.v}) {
    ensure<ShapeError>(x->shape() == t.weight.shape() && x->dtype() == dtype, "adam: found ",
                       x->dtype(), " ", x->shape(), " beside a weight of ", dtype, " ",
                       t.weight.shape());
    ensure<DeviceError>(&x->device() == &t.weight.device(), "adam: a weight on ",
                        t.weight.device().name(), " and its gradient or state on ",
                        x->device().name());
  }
  for (const Tensor* x : {&t.weight, &t.m, &t.v})
    ensure<ShapeError>(x->is_dense(), "adam: wanted dense tensors, got strides ", x->strides());
}

cpu::AdamNumbers numbers_of(const AdamRule& rule) {
  const auto step = static_cast<double>(rule.step);
  return {.grad_scale = rule.grad_scale,
          .beta1 = rule.beta1,
          .rest1 = 1 - rule.beta1,
          .beta2 = rule.beta2,
          .rest2 = 1 - rule.beta2,
          .rate = rule.rate / (1 - std::pow(rule.beta1, step)),
          .root = 1 / std::sqrt(1 - std::pow(rule.beta2, step)),
          .eps = rule.eps};
}

void add_slices(const AdamTensor& t, const Tensor& grad, const AdamRule& rule,
                std::vector<cpu::AdamSlice>& out) {
  const auto size = static_cast<int64_t>(size_of(t.weight.dtype()));
  const auto at = [size](const Tensor& x, int64_t i) {
    return static_cast<std::byte*>(x.raw()) + i * size;
  };
  for (int64_t i = 0; i < t.weight.count(); i += kSlice)
    out.push_back({.dtype = t.weight.dtype(),
                   .weight = at(t.weight, i),
                   .grad = at(grad, i),
                   .m = at(t.m, i),
                   .v = at(t.v, i),
                   .count = std::min(kSlice, t.weight.count() - i),
                   .keep = rule.decoupled ? 1 - rule.rate * t.decay : 1,
                   .pull = rule.decoupled ? 0 : t.decay});
}

}  // namespace

void adam_step(std::span<const AdamTensor> tensors, const AdamRule& rule) {
  ensure<Error>(rule.step >= 1, "adam: found step ", rule.step, ", wanted 1 or more");
  if (tensors.empty()) return;
  std::vector<cpu::AdamSlice> slices;
  std::vector<Tensor> packed;  // gradients that were not dense, until the kernel is in the queue
  for (const AdamTensor& t : tensors) {
    check(t);
    packed.push_back(dense(t.grad));
    add_slices(t, packed.back(), rule, slices);
    for (const Tensor* x : {&t.weight, &t.m, &t.v}) x->storage()->bump_version();
  }
  launch(tensors[0].weight.device(),
         [numbers = numbers_of(rule), slices = std::move(slices)] { cpu::adam(numbers, slices); });
}

}  // namespace jogak
