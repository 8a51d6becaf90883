#include "ops/add.h"

#include "autograd/autograd.h"
#include "ops/binary.h"
#include "ops/sum_to.h"

namespace jogak {

// dy itself where nothing was repeated: autograd copies before it adds to a shared gradient.
static Tensor gradient(bool wanted, const Shape& shape, const Tensor& dy) {
  if (!wanted) return {};
  return shape == dy.shape() ? dy : sum_to(shape, dy);
}

static Tensor negative(bool wanted, const Shape& shape, const Tensor& dy) {
  if (!wanted) return {};
  const Tensor out = shape == dy.shape() ? clone(dy) : sum_to(shape, dy);
  scale_in_place(out, -1);
  return out;
}

Tensor add(const Tensor& a, const Tensor& b) {
  const Tensor y = binary("add", Binary::add, a, b);
  return record(
      "add", y, {a, b},
      [to_a = needs_grad(a), to_b = needs_grad(b), a = a.shape(), b = b.shape()](const Tensor& dy) {
        return Grads{gradient(to_a, a, dy), gradient(to_b, b, dy)};
      });
}

Tensor sub(const Tensor& a, const Tensor& b) {
  const Tensor y = binary("sub", Binary::sub, a, b);
  return record(
      "sub", y, {a, b},
      [to_a = needs_grad(a), to_b = needs_grad(b), a = a.shape(), b = b.shape()](const Tensor& dy) {
        return Grads{gradient(to_a, a, dy), negative(to_b, b, dy)};
      });
}

}  // namespace jogak
