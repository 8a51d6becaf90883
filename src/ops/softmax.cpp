#include "ops/softmax.h"

#include "autograd/autograd.h"
#include "ops/broadcast.h"
#include "ops/mul.h"
#include "ops/softmax_kernel.h"

namespace jogak {

static void forward(const Tensor& x, const void* times, const Tensor& y) {
  launch(x.device(), SoftmaxArgs{x.dtype(), x.raw(), times, y.raw(), x.rows(), x.dim(-1)});
}

static void backward(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  launch(y.device(),
         SoftmaxBackwardArgs{y.dtype(), y.raw(), dy.raw(), dx.raw(), y.rows(), y.dim(-1)});
}

Tensor softmax(const Tensor& in) {
  ensure<ShapeError>(in.rank() >= 1, "softmax: needs at least one axis, got shape ", in.shape());
  const Tensor x = dense(in), y = empty_like(x);
  forward(x, nullptr, y);
  return record("softmax", y, {in}, [y = Saved(y)](const Tensor& dy) {
    const Tensor dx = empty_like(dy);
    backward(y.get(), dense(dy), dx);
    return Grads{dx};
  });
}

Tensor mul_softmax(const Tensor& x_in, const Tensor& scores_in) {
  check_pair("mul_softmax", x_in, scores_in);
  ensure<ShapeError>(x_in.shape() == scores_in.shape() && x_in.rank() >= 1, "mul_softmax: found x ",
                     x_in.shape(), " and scores ", scores_in.shape(), ", wanted one shape");
  if (needs_grad(x_in) || needs_grad(scores_in)) return mul(x_in, softmax(scores_in));
  const Tensor x = dense(x_in), scores = dense(scores_in), y = empty_like(x);
  forward(scores, x.raw(), y);
  return record_constant("mul_softmax", y, {x_in, scores_in});
}

}  // namespace jogak
