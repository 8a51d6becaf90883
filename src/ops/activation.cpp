#include "ops/activation.h"

#include "autograd/autograd.h"
#include "ops/activation_kernel.h"

namespace jogak {

static void forward(Activation kind, const Tensor& x, const Tensor& y) {
  launch(x.device(), ActivationArgs{x.dtype(), kind, x.raw(), y.raw(), x.count()});
}

static void backward(Activation kind, const Tensor& x, const Tensor& dy, const Tensor& dx) {
  launch(x.device(),
         ActivationBackwardArgs{x.dtype(), kind, x.raw(), dy.raw(), dx.raw(), x.count()});
}

static Tensor apply(const char* op, Activation kind, const Tensor& in) {
  ensure<ShapeError>(is_float(in.dtype()), op, ": found dtype ", in.dtype(),
                     ", wanted a float type");
  const Tensor x = dense(in), y = empty_like(x);
  forward(kind, x, y);
  // The sign of y tells the slope of ReLU: what comes next keeps y anyway, so x need not live on.
  return record(op, y, {in},
                [kind, from = Saved(kind == Activation::relu ? y : x)](const Tensor& dy) {
                  const Tensor dx = empty_like(dy);
                  backward(kind, from.get(), dense(dy), dx);
                  return Grads{dx};
                });
}

Tensor activate(const Tensor& x, Activation kind) {
  if (kind == Activation::none) return x;
  const char* const op = names_of(kind).op;
  return apply(op, kind, x);
}

}  // namespace jogak
