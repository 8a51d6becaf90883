// Plain loops that several references share.
#pragma once

#include "tests/ops/case.h"

namespace jogak::test {

// x repeated to a shape it broadcasts to.
inline Values broadcast_values(const Values& x, const Shape& to) {
  Values out(to);
  for (int64_t i = 0; i < to.count(); ++i) {
    int64_t rest = i, at = 0, step = 1;
    for (int back = 1; back <= to.rank(); ++back) {
      const int64_t place = rest % to.dim(-back);
      rest /= to.dim(-back);
      if (back > x.shape.rank()) continue;
      if (x.shape.dim(-back) != 1) at += place * step;
      step *= x.shape.dim(-back);
    }
    out[i] = x[at];
  }
  return out;
}

// f(a, b) elementwise with broadcasting.
template <class F>
Reference pairwise(F f) {
  return [f](std::span<const Values> in) {
    const Shape shape = broadcast("reference", in[0].shape, in[1].shape);
    const Values a = broadcast_values(in[0], shape), b = broadcast_values(in[1], shape);
    Values y(shape);
    for (int64_t i = 0; i < shape.count(); ++i) y[i] = f(a[i], b[i]);
    return std::vector{y};
  };
}

}  // namespace jogak::test
