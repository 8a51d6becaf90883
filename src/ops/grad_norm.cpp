#include "ops/grad_norm.h"

#include <vector>

#include "ops/grad_norm_kernel.h"

namespace jogak {

void squared_norm(std::span<const Tensor> tensors, const Tensor& each, const Tensor& total) {
  const auto n = static_cast<int64_t>(tensors.size());
  ensure<ShapeError>(each.shape() == Shape{n} && each.is_dense() && total.count() == 1,
                     "squared_norm: ", n, " tensors, results of shape ", each.shape(), " and ",
                     total.shape());
  SquaredNormArgs args;
  std::vector<Tensor> packed;  // what was not dense, until the kernel is in the queue
  int64_t pieces = 0;
  for (const Tensor& given : tensors) {
    packed.push_back(dense(given));
    const Tensor& x = packed.back();
    ensure<ShapeError>(is_float(x.dtype()), "squared_norm: found ", x.dtype(),
                       ", wanted a float type");
    args.tensors.push_back(
        {x.dtype(), x.raw(), x.count(), static_cast<int64_t>(args.tensors.size())});
    pieces += (x.count() + kNormPiece - 1) / kNormPiece;
  }
  const Tensor partials = empty({pieces}, DType::f64, each.device());
  args.partials = partials.data<double>();
  args.each = each.data<double>(), args.total = total.data<double>();
  each.storage()->bump_version();
  total.storage()->bump_version();
  launch(each.device(), std::move(args));
}

}  // namespace jogak
