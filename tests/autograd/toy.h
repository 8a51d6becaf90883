// A few ops in double, for tests of the tape alone: autograd knows no real op.
#pragma once

#include "autograd/autograd.h"

namespace jogak::toy {

inline Tensor numbers(std::vector<double> values) {
  const auto n = static_cast<int64_t>(values.size());
  return from_values(values, {n});
}

// Gives the very gradient it got, twice: what a broadcasting add does when nothing is broadcast.
inline Tensor add(const Tensor& a, const Tensor& b) {
  const Tensor y = clone(a);
  accumulate(y, b);
  return record("add", y, {a, b}, [](const Tensor& dy) { return Grads{dy, dy}; });
}

inline Tensor product(const Tensor& a, const Tensor& b) {  // values only
  const Tensor y = clone(a);
  const double* const other = b.data<double>();
  for (int64_t i = 0; i < y.count(); ++i) y.data<double>()[i] *= other[i];
  return y;
}
inline Tensor mul(const Tensor& a, const Tensor& b) {
  return record("mul", product(a, b), {a, b}, [a = Saved(a), b = Saved(b)](const Tensor& dy) {
    return Grads{product(dy, b.get()), product(dy, a.get())};
  });
}

inline Tensor scale(const Tensor& x, double factor) {
  const Tensor y = clone(x);
  scale_in_place(y, factor);
  return record("scale", y, {x}, [factor](const Tensor& dy) {
    const Tensor dx = clone(dy);
    scale_in_place(dx, factor);
    return Grads{dx};
  });
}

// The same memory under another shape, forward and back.
inline Tensor reshape(const Tensor& x, const Shape& shape) {
  return record("reshape", x.view(shape, row_major(shape), x.offset()), {x},
                [from = x.shape()](const Tensor& dy) {
                  return Grads{dy.view(from, row_major(from), dy.offset())};
                });
}

inline Tensor sum(const Tensor& x) {  // []
  double total = 0;
  for (const double v : to_host<double>(x)) total += v;
  return record("sum", scalar(total, DType::f64), {x}, [shape = x.shape()](const Tensor& dy) {
    return Grads{full(shape, item(dy), DType::f64)};
  });
}

// One gradient of the sum of the values of y.
inline std::vector<double> grad(const Tensor& y, const Tensor& x) {
  return to_host<double>(gradients(sum(y), std::vector{x})[0]);
}

}  // namespace jogak::toy
