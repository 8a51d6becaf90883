#include "ops/sgd.h"

#include <vector>

#include "ops/sgd_kernel.h"

namespace jogak {
namespace {

constexpr int64_t kSlice = 1 << 14;  // elements

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

void add_slices(const SgdTensor& t, const Tensor& grad, std::vector<cpu::SgdSlice>& out) {
  const auto size = static_cast<int64_t>(size_of(t.weight.dtype()));
  const auto at = [size](const Tensor& x, int64_t i) {
    return static_cast<std::byte*>(x.raw()) + i * size;
  };
  for (int64_t i = 0; i < t.weight.count(); i += kSlice)
    out.push_back({.dtype = t.weight.dtype(),
                   .weight = at(t.weight, i),
                   .grad = at(grad, i),
                   .momentum = t.momentum.defined() ? at(t.momentum, i) : nullptr,
                   .count = std::min(kSlice, t.weight.count() - i),
                   .decay = t.decay});
}

}  // namespace

void sgd_step(std::span<const SgdTensor> tensors, const SgdRule& rule) {
  if (tensors.empty()) return;
  std::vector<cpu::SgdSlice> slices;
  std::vector<Tensor> packed;  // gradients that were not dense, until the kernel is in the queue
  for (const SgdTensor& t : tensors) {
    check(t);
    packed.push_back(dense(t.grad));
    add_slices(t, packed.back(), slices);
    t.weight.storage()->bump_version();
    if (t.momentum.defined()) t.momentum.storage()->bump_version();
  }
  launch(tensors[0].weight.device(), [rule, slices = std::move(slices)] {
    cpu::sgd(rule.rate, rule.momentum, rule.grad_scale, slices);
  });
}

}  // namespace jogak
