#include "ops/reshape.h"

#include "autograd/autograd.h"

namespace jogak {

// The wanted shape with -1 replaced; an error when the elements do not fit.
static Shape fitted(const Tensor& x, const Shape& wanted) {
  Shape shape = wanted;
  int open = -1;
  int64_t others = 1;
  for (int axis = 0; axis < wanted.rank(); ++axis) {
    ensure<ShapeError>(wanted[axis] >= 0 || (wanted[axis] == -1 && open < 0),
                       "reshape: found sizes ", wanted, ", wanted none negative but one -1");
    if (wanted[axis] < 0)
      open = axis;
    else
      ensure<ShapeError>(!__builtin_mul_overflow(others, wanted[axis], &others), "reshape: shape ",
                         wanted, " has too many elements");
  }
  const int64_t count = x.count();
  if (open >= 0 && others > 0) shape[open] = count / others;
  const bool fits = open < 0 ? others == count : others > 0 && shape[open] * others == count;
  ensure<ShapeError>(fits, "reshape: ", x.shape(), " has ", count, " elements, which do not fit ",
                     wanted);
  return shape;
}

static Tensor reshaped(const Tensor& in, const Shape& shape) {
  const Tensor x = dense(in);
  return x.view(shape, row_major(shape), x.offset());
}

Tensor reshape(const Tensor& x, const Shape& wanted) {
  return record("reshape", reshaped(x, fitted(x, wanted)), {x},
                [shape = x.shape()](const Tensor& dy) { return Grads{reshaped(dy, shape)}; });
}

Tensor contiguous(const Tensor& x) {
  if (x.is_dense()) return x;
  return record("contiguous", clone(x), {x}, [](const Tensor& dy) { return Grads{dy}; });
}

}  // namespace jogak
