#include "ops/sum_to.h"

#include "ops/broadcast.h"
#include "ops/sum_to_kernel.h"

namespace jogak {

Tensor sum_to(const Shape& target, const Tensor& x_in, const Tensor& other_in) {
  const Tensor x = dense(x_in), other = other_in.defined() ? dense(other_in) : Tensor();
  const Tensor y = empty(target, x.dtype(), x.device());
  const cpu::SumPlan plan = cpu::plan_sum(
      merge_loops(x.shape(), x.strides(), broadcast_strides(target, x.shape()),
                  broadcast_strides(other.defined() ? other.shape() : Shape{}, x.shape())));
  Tensor partial;
  if (plan.chunks > 1)
    partial = empty({plan.chunks, plan.outputs}, x.dtype() == DType::f64 ? DType::f64 : DType::f32,
                    x.device());
  launch(x.device(), [plan, dtype = x.dtype(), x = x.raw(), y = y.raw(),
                      other = other.defined() ? other.raw() : nullptr,
                      partial = partial.defined() ? partial.raw() : nullptr] {
    cpu::sum_to(dtype, plan, x, other, partial, y);
  });
  return y;
}

}  // namespace jogak
