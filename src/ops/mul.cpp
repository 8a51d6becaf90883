#include "ops/mul.h"

#include "autograd/autograd.h"
#include "ops/binary.h"
#include "ops/sum_to.h"

namespace jogak {

static Tensor gradient(bool wanted, const Shape& shape, const Tensor& dy, const Saved& other) {
  if (!wanted) return {};
  return shape == dy.shape() ? binary("mul", Binary::mul, dy, other.get())
                             : sum_to(shape, dy, other.get());
}

Tensor mul(const Tensor& a, const Tensor& b) {
  const Tensor y = binary("mul", Binary::mul, a, b);
  const bool to_a = needs_grad(a), to_b = needs_grad(b);
  return record("mul", y, {a, b},
                [to_a, to_b, a_shape = a.shape(), b_shape = b.shape(),
                 a = to_b ? Saved(a) : Saved(), b = to_a ? Saved(b) : Saved()](const Tensor& dy) {
                  return Grads{gradient(to_a, a_shape, dy, b), gradient(to_b, b_shape, dy, a)};
                });
}

static Tensor scaled(const Tensor& in, double factor) {
  const Tensor x = dense(in), y = empty_like(x);
  launch(x.device(), ScaleArgs{x.dtype(), x.raw(), factor, y.raw(), x.count()});
  return y;
}

Tensor scale(const Tensor& x, double factor) {
  ensure<ShapeError>(is_float(x.dtype()), "scale: found dtype ", x.dtype(),
                     ", wanted a float type");
  return record("scale", scaled(x, factor), {x},
                [factor](const Tensor& dy) { return Grads{scaled(dy, factor)}; });
}

}  // namespace jogak
