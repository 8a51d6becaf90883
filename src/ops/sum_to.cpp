#include "ops/sum_to.h"

#include "ops/broadcast.h"
#include "ops/sum_to_kernel.h"

namespace jogak {

Tensor sum_to(const Shape& target, const Tensor& x_in, const Tensor& other_in) {
  const Tensor x = dense(x_in), other = other_in.defined() ? dense(other_in) : Tensor();
  const Tensor y = empty(target, x.dtype(), x.device());
  const SumPlan plan = plan_sum(
      merge_loops(x.shape(), x.strides(), broadcast_strides(target, x.shape()),
                  broadcast_strides(other.defined() ? other.shape() : Shape{}, x.shape())));
  Tensor partial;
  if (plan.chunks > 1)
    partial = empty({plan.chunks, plan.outputs}, x.dtype() == DType::f64 ? DType::f64 : DType::f32,
                    x.device());
  launch(x.device(), SumToArgs{x.dtype(), plan, x.raw(), other.defined() ? other.raw() : nullptr,
                               partial.defined() ? partial.raw() : nullptr, y.raw()});
  return y;
}

}  // namespace jogak
