#include "ops/softmax.h"

#include "autograd/autograd.h"
#include "ops/softmax_kernel.h"

namespace jogak {

static void forward(const Tensor& x, const Tensor& y) {
  launch(x.device(), [dtype = x.dtype(), x = x.raw(), y = y.raw(), rows = x.rows(),
                      cols = x.dim(-1)] { cpu::softmax(dtype, x, y, rows, cols); });
}

static void backward(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  launch(y.device(), [dtype = y.dtype(), y = y.raw(), dy = dy.raw(), dx = dx.raw(), rows = y.rows(),
                      cols = y.dim(-1)] { cpu::softmax_backward(dtype, y, dy, dx, rows, cols); });
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
