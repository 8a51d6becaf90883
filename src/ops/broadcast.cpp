#include "ops/broadcast.h"

namespace jogak {

Strides broadcast_strides(const Shape& from, const Shape& to) {
  const Strides dense = row_major(from);
  Strides out = to;
  for (int axis = 0; axis < to.rank(); ++axis) {
    const int at = axis - (to.rank() - from.rank());
    out[axis] = at < 0 || from[at] == 1 ? 0 : dense[at];
  }
  return out;
}

Loops merge_loops(const Shape& shape, const Strides& a, const Strides& b, const Strides& c) {
  const Strides* const strides[3] = {&a, &b, &c};
  Loops out;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    bool joins = out.rank > 0;
    for (int i = 0; joins && i < 3; ++i)
      joins = out.step[i][out.rank - 1] == (*strides[i])[axis] * shape[axis];
    if (joins) --out.rank;
    out.size[out.rank] = joins ? out.size[out.rank] * shape[axis] : shape[axis];
    for (int i = 0; i < 3; ++i) out.step[i][out.rank] = (*strides[i])[axis];
    ++out.rank;
  }
  if (out.rank == 0) {
    out.rank = 1;
    out.size[0] = 1;
    for (auto& step : out.step) step[0] = 1;
  }
  return out;
}

void check_pair(const char* op, const Tensor& a, const Tensor& b) {
  ensure<ShapeError>(a.dtype() == b.dtype() && is_float(a.dtype()), op, ": found ", a.dtype(),
                     " and ", b.dtype(), ", wanted one float type");
  ensure_together(op, {&a, &b});
}

}  // namespace jogak
