#include "ops/grad_norm.h"

#include <vector>

#include "ops/grad_norm_kernel.h"

namespace jogak {

void squared_norm(std::span<const Tensor> tensors, const Tensor& each, const Tensor& total) {
  constexpr int64_t kSlice = 1 << 15;  // elements
  const auto n = static_cast<int64_t>(tensors.size());
  ensure<ShapeError>(each.shape() == Shape{n} && each.is_dense() && total.count() == 1,
                     "squared_norm: ", n, " tensors, results of shape ", each.shape(), " and ",
                     total.shape());
  std::vector<cpu::NormSlice> slices;
  std::vector<Tensor> packed;  // what was not dense, until the kernel is in the queue
  for (int64_t t = 0; t < n; ++t) {
    packed.push_back(dense(tensors[static_cast<size_t>(t)]));
    const Tensor& x = packed.back();
    ensure<ShapeError>(is_float(x.dtype()), "squared_norm: found ", x.dtype(),
                       ", wanted a float type");
    const auto size = static_cast<int64_t>(size_of(x.dtype()));
    for (int64_t i = 0; i < x.count(); i += kSlice)
      slices.push_back({.dtype = x.dtype(),
                        .values = static_cast<const std::byte*>(x.raw()) + i * size,
                        .count = std::min(kSlice, x.count() - i),
                        .tensor = t});
  }
  Device& device = each.device();
  const Tensor partials = empty({static_cast<int64_t>(slices.size())}, DType::f64, device);
  each.storage()->bump_version();
  total.storage()->bump_version();
  launch(device, [slices = std::move(slices), partials = partials.data<double>(), n,
                  each = each.data<double>(), total = total.data<double>()] {
    cpu::squared_norm(slices, partials, n, each, total);
  });
}

}  // namespace jogak
