#include "ops/slice.h"

#include "autograd/autograd.h"

namespace jogak {

static Tensor part(const Tensor& x, int axis, int64_t begin, int64_t end) {
  return x.view(x.shape().with(axis, end - begin), x.strides(),
                x.offset() + begin * x.strides()[axis]);
}

Tensor slice(const Tensor& x, int axis_in, int64_t begin, int64_t end) {
  const int axis = static_cast<int>(x.shape().index(axis_in));
  ensure<ShapeError>(begin >= 0 && begin <= end && end <= x.dim(axis), "slice: found [", begin,
                     ", ", end, ") along axis ", axis_in, " of shape ", x.shape());
  return record("slice", part(x, axis, begin, end), {x},
                [axis, begin, end, shape = x.shape()](const Tensor& dy) {
                  const Tensor dx = zeros(shape, dy.dtype(), dy.device());
                  copy_into(part(dx, axis, begin, end), dy);
                  return Grads{dx};
                });
}

static Grads joined(std::span<const Tensor> parts, const Shape& shape, int axis,
                    const std::vector<int64_t>& sizes) {
  Tensor dx;
  int64_t at = 0;
  for (size_t i = 0; i < parts.size(); at += sizes[i++]) {
    const Tensor& dy = parts[i];
    if (!dy.defined()) continue;
    // One missing part: zeros first. Else every element is written below.
    if (!dx.defined()) {
      dx = empty(shape, dy.dtype(), dy.device());
      for (const Tensor& other : parts)
        if (!other.defined()) {
          fill(dx, 0);
          break;
        }
    }
    copy_into(part(dx, axis, at, at + sizes[i]), dy);
  }
  return {dx};
}

std::vector<Tensor> split(const Tensor& x, int axis_in, std::span<const int64_t> sizes) {
  const int axis = static_cast<int>(x.shape().index(axis_in));
  std::vector<Tensor> out;
  int64_t at = 0;
  for (const int64_t size : sizes) {
    ensure<ShapeError>(size >= 0 && size <= x.dim(axis) - at, "split: a part of ", size,
                       " at place ", at, " along axis ", axis_in, " of shape ", x.shape());
    out.push_back(part(x, axis, at, at + size));
    at += size;
  }
  ensure<ShapeError>(at == x.dim(axis), "split: parts of ", at, " in all along axis ", axis_in,
                     " of shape ", x.shape());
  record_many("split", out, std::span(&x, 1),
              [axis, shape = x.shape(), sizes = std::vector<int64_t>(sizes.begin(), sizes.end())](
                  std::span<const Tensor> dys) { return joined(dys, shape, axis, sizes); });
  return out;
}

}  // namespace jogak
