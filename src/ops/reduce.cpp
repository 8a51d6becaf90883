#include "ops/reduce.h"

#include "autograd/autograd.h"
#include "ops/reduce_kernel.h"

namespace jogak {
namespace {

Tensor forward(const ReduceShape& r, const Tensor& x_in, const Shape& shape) {
  const Tensor x = dense(x_in), y = empty(shape, x.dtype(), x.device());
  const Tensor partials = empty({r.outer, reduce_pieces(r), r.inner}, DType::f64, x.device());
  launch(x.device(), ReduceArgs{r, x.raw(), partials.data<double>(), y.raw()});
  return y;
}

Grads backward(const ReduceShape& r, const Shape& shape, const Tensor& dy_in) {
  const Tensor dy = dense(dy_in), dx = empty(shape, dy.dtype(), dy.device());
  launch(dy.device(), ReduceBackwardArgs{r, dy.raw(), dx.raw()});
  return {dx};
}

ReduceShape whole(const Tensor& x) { return {x.dtype(), 1, x.count(), 1, 1}; }

ReduceShape along(const Tensor& x, int axis) {
  const int at = static_cast<int>(x.shape().index(axis));
  ReduceShape r{x.dtype(), 1, x.dim(at), 1, 1};
  for (int i = 0; i < at; ++i) r.outer *= x.dim(i);
  for (int i = at + 1; i < x.rank(); ++i) r.inner *= x.dim(i);
  return r;
}

Shape reduced(const Shape& shape, int axis, bool keep) {
  return keep ? shape.with(axis, 1) : shape.without(axis);
}

ReduceShape averaged(ReduceShape r, const Tensor& x) {
  ensure<ShapeError>(r.n > 0, "mean: of no elements, shape ", x.shape());
  r.divisor = static_cast<double>(r.n);
  return r;
}

Tensor sum_of(const ReduceShape& r, const Tensor& x, const Shape& shape) {
  return record("sum", forward(r, x, shape), {x},
                [r, from = x.shape()](const Tensor& dy) { return backward(r, from, dy); });
}

Tensor mean_of(const ReduceShape& r, const Tensor& x, const Shape& shape) {
  return record("mean", forward(r, x, shape), {x},
                [r, from = x.shape()](const Tensor& dy) { return backward(r, from, dy); });
}

}  // namespace

Tensor sum(const Tensor& x) { return sum_of(whole(x), x, {}); }
Tensor mean(const Tensor& x) { return mean_of(averaged(whole(x), x), x, {}); }

Tensor sum(const Tensor& x, int axis, bool keep) {
  return sum_of(along(x, axis), x, reduced(x.shape(), axis, keep));
}

Tensor mean(const Tensor& x, int axis, bool keep) {
  return mean_of(averaged(along(x, axis), x), x, reduced(x.shape(), axis, keep));
}

}  // namespace jogak
