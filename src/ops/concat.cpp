#include "ops/concat.h"

#include <vector>

#include "autograd/autograd.h"

namespace jogak {

static Tensor part(const Tensor& x, int axis, int64_t begin, int64_t size) {
  return x.view(x.shape().with(axis, size), x.strides(), x.offset() + begin * x.strides()[axis]);
}

static Shape joined_shape(std::span<const Tensor> parts, int axis) {
  const Tensor& first = parts[0];
  int64_t total = 0;
  for (const Tensor& x : parts) {
    ensure_together("concat", {&first, &x});
    const bool fits = x.rank() == first.rank() && x.dtype() == first.dtype() &&
                      x.shape().with(axis, 0) == first.shape().with(axis, 0);
    ensure<ShapeError>(fits, "concat along axis ", axis, ": found ", first.dtype(), " ",
                       first.shape(), " and ", x.dtype(), " ", x.shape());
    total += x.dim(axis);
  }
  return first.shape().with(axis, total);
}

Tensor concat(std::span<const Tensor> parts, int axis_in) {
  ensure<ShapeError>(!parts.empty(), "concat: found no tensors, wanted at least one");
  const int axis = static_cast<int>(parts[0].shape().index(axis_in));
  Tensor y = empty(joined_shape(parts, axis), parts[0].dtype(), parts[0].device());
  std::vector<int64_t> sizes;
  int64_t at = 0;
  for (const Tensor& x : parts) {
    sizes.push_back(x.dim(axis));
    copy_into(part(y, axis, at, sizes.back()), x);
    at += sizes.back();
  }
  record_many("concat", std::span(&y, 1), parts, [axis, sizes](std::span<const Tensor> dy) {
    Grads out;
    int64_t begin = 0;
    for (const int64_t size : sizes) {
      out.push_back(part(dy[0], axis, begin, size));  // views: nothing is copied
      begin += size;
    }
    return out;
  });
  return y;
}

}  // namespace jogak
