#include "ops/softmax.h"

#include "autograd/autograd.h"
#include "ops/softmax_kernel.h"

namespace jogak {

static void forward(const Tensor& x, const Tensor& y) {
  launch(x.device(), SoftmaxArgs{x.dtype(), x.raw(), y.raw(), x.rows(), x.dim(-1)});
}

static void backward(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  launch(y.device(),
         SoftmaxBackwardArgs{y.dtype(), y.raw(), dy.raw(), dx.raw(), y.rows(), y.dim(-1)});
}

Tensor softmax(const Tensor& in) {
  ensure<ShapeError>(in.rank() >= 1, "softmax: needs at least one axis, got shape ", in.shape());
  const Tensor x = dense(in), y = empty_like(x);
  forward(x, y);
  return record("softmax", y, {in}, [y = Saved(y)](const Tensor& dy) {
    const Tensor dx = empty_like(dy);
    backward(y.get(), dense(dy), dx);
    return Grads{dx};
  });
}

}  // namespace jogak
