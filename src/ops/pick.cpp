#include "ops/pick.h"

#include "autograd/autograd.h"
#include "ops/pick_kernel.h"

namespace jogak {

static Tensor best_ids(const char* name, const Tensor& in, bool finite) {
  ensure<ShapeError>(in.rank() >= 1 && in.dim(-1) >= 1, name, ": shape ", in.shape(),
                     ", wanted at least one element in the last axis");
  const Tensor x = dense(in), ids = empty(x.shape().without(-1), DType::i64, x.device());
  launch(x.device(),
         ArgmaxArgs{x.dtype(), x.raw(), ids.data<int64_t>(), x.rows(), x.dim(-1), finite});
  return ids;
}

Tensor argmax(const Tensor& x) {
  return record_constant("argmax", best_ids("argmax", x, false), {x});
}

Tensor argmax_finite(const Tensor& x) {
  return record_constant("argmax_finite", best_ids("argmax_finite", x, true), {x});
}

static Tensor top_k_backward(const Tensor& ids, const Tensor& dvalues, const Shape& shape) {
  const Tensor dx = empty(shape, dvalues.dtype(), dvalues.device());
  launch(dx.device(), TopKBackwardArgs{dx.dtype(), dvalues.raw(), ids.data<int64_t>(), dx.raw(),
                                       dx.rows(), dx.dim(-1), ids.dim(-1)});
  return dx;
}

std::pair<Tensor, Tensor> top_k(const Tensor& in, int64_t k) {
  ensure<ShapeError>(in.rank() >= 1, "top_k: needs at least one axis, got shape ", in.shape());
  ensure<UsageError>(k >= 0 && k <= in.dim(-1), "top_k: ", k, " of ", in.dim(-1),
                     " elements: shape ", in.shape());
  const Tensor x = dense(in);
  const Tensor values = empty(x.shape().with(-1, k), x.dtype(), x.device());
  const Tensor ids = empty(values.shape(), DType::i64, x.device());
  launch(x.device(),
         TopKArgs{x.dtype(), x.raw(), values.raw(), ids.data<int64_t>(), x.rows(), x.dim(-1), k});
  return {record("top_k", values, {in},
                 [ids = Saved(ids), shape = x.shape()](const Tensor& dvalues) {
                   return Grads{top_k_backward(ids.get(), dense(dvalues), shape)};
                 }),
          record_constant("top_k", ids, {in})};
}

}  // namespace jogak
