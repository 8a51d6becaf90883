#include "ops/unfold.h"

#include "autograd/autograd.h"

namespace jogak {
namespace {

struct Windows {
  int axis;
  int64_t size, step, count;
};

// `count` windows from `first` on, `apart` elements between their beginnings.
Tensor windows(const Tensor& x, const Windows& w, int64_t first, int64_t apart, int64_t count) {
  const Shape shape = x.shape().with(w.axis, count).plus(w.size);
  Strides strides = x.strides().plus(x.strides()[w.axis]);
  strides[w.axis] *= apart;
  return x.view(shape, strides, x.offset() + first * x.strides()[w.axis]);
}

// Every so many windows do not overlap: these are laid down together, and such layers added.
Grads backward(const Windows& w, const Shape& shape, const Tensor& dy) {
  const Tensor dx = zeros(shape, dy.dtype(), dy.device());
  const int64_t layers = (w.size + w.step - 1) / w.step;
  for (int64_t layer = 0; layer < std::min(layers, w.count); ++layer) {
    const int64_t count = (w.count - layer + layers - 1) / layers;
    Strides strides = dy.strides();
    strides[w.axis] *= layers;
    const Tensor part = dy.view(dy.shape().with(w.axis, count), strides,
                                dy.offset() + layer * dy.strides()[w.axis]);
    const Tensor sheet = layer == 0 ? dx : zeros(shape, dy.dtype(), dy.device());
    copy_into(windows(sheet, w, layer * w.step, layers * w.step, count), part);
    if (layer > 0) accumulate(dx, sheet);
  }
  return {dx};
}

}  // namespace

Tensor unfold(const Tensor& x, int axis_in, int64_t size, int64_t step) {
  const int axis = static_cast<int>(x.shape().index(axis_in));
  ensure<ShapeError>(size >= 1 && step >= 1 && size <= x.dim(axis), "unfold: windows of ", size,
                     " every ", step, " along axis ", axis_in, " of shape ", x.shape());
  const Windows w{axis, size, step, (x.dim(axis) - size) / step + 1};
  return record("unfold", windows(x, w, 0, step, w.count), {x},
                [w, shape = x.shape()](const Tensor& dy) { return backward(w, shape, dy); });
}

}  // namespace jogak
