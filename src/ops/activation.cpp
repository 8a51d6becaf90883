#include "ops/activation.h"

#include "autograd/autograd.h"
#include "ops/activation_kernel.h"

namespace jogak {

static void forward(Activation kind, const Tensor& x, const Tensor& y) {
  launch(x.device(), [dtype = x.dtype(), kind, x = x.raw(), y = y.raw(), n = x.count()] {
    cpu::activate(dtype, kind, x, y, n);
  });
}

static void backward(Activation kind, const Tensor& x, const Tensor& dy, const Tensor& dx) {
  launch(x.device(), [dtype = x.dtype(), kind, x = x.raw(), dy = dy.raw(), dx = dx.raw(),
                      n = x.count()] { cpu::activate_backward(dtype, kind, x, dy, dx, n); });
}

static Tensor apply(const char* op, Activation kind, const Tensor& in) {
  ensure<ShapeError>(is_float(in.dtype()), op, ": found dtype ", in.dtype(),
                     ", wanted a float type");
  const Tensor x = dense(in), y = empty_like(x);
  forward(kind, x, y);
  return record(op, y, {in}, [kind, from = Saved(x)](const Tensor& dy) {
    const Tensor dx = empty_like(dy);
    backward(kind, from.get(), dense(dy), dx);
    return Grads{dx};
  });
}

Tensor gelu(const Tensor& x) { return apply("gelu", Activation::gelu, x); }
Tensor gelu_tanh(const Tensor& x) { return apply("gelu_tanh", Activation::gelu_tanh, x); }
Tensor silu(const Tensor& x) { return apply("silu", Activation::silu, x); }
Tensor tanh(const Tensor& x) { return apply("tanh", Activation::tanh, x); }

// The sign of y tells the slope: what comes next keeps y anyway, so x need not live on.
Tensor relu(const Tensor& in) {
  ensure<ShapeError>(is_float(in.dtype()), "relu: found dtype ", in.dtype(),
                     ", wanted a float type");
  const Tensor x = dense(in), y = empty_like(x);
  forward(Activation::relu, x, y);
  return record("relu", y, {in}, [y = Saved(y)](const Tensor& dy) {
    const Tensor dx = empty_like(dy);
    backward(Activation::relu, y.get(), dense(dy), dx);
    return Grads{dx};
  });
}

Tensor activate(const Tensor& x, Activation kind) {
  switch (kind) {
    case Activation::none: break;
    case Activation::relu: return relu(x);
    case Activation::gelu: return gelu(x);
    case Activation::gelu_tanh: return gelu_tanh(x);
    case Activation::silu: return silu(x);
    case Activation::tanh: return tanh(x);
  }
  return x;
}

}  // namespace jogak
