#include "ops/transpose.h"

#include <string>
#include <utility>
#include <vector>

#include "autograd/autograd.h"

namespace jogak {

static Tensor swapped(const Tensor& x, int a, int b) {
  Shape shape = x.shape();
  Strides strides = x.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return x.view(shape, strides, x.offset());
}

Tensor transpose(const Tensor& x, int axis_a, int axis_b) {
  const int a = static_cast<int>(x.shape().index(axis_a));
  const int b = static_cast<int>(x.shape().index(axis_b));
  return record("transpose", swapped(x, a, b), {x},
                [a, b](const Tensor& dy) { return Grads{swapped(dy, a, b)}; });
}

static Tensor permuted(const Tensor& x, const std::vector<int>& axes) {
  Shape shape = x.shape();
  Strides strides = x.strides();
  for (int i = 0; i < x.rank(); ++i) {
    shape[i] = x.shape()[axes[static_cast<size_t>(i)]];
    strides[i] = x.strides()[axes[static_cast<size_t>(i)]];
  }
  return x.view(shape, strides, x.offset());
}

Tensor permute(const Tensor& x, std::span<const int> axes) {
  std::vector<int> there, back(axes.size(), -1);
  bool whole = static_cast<int>(axes.size()) == x.rank();
  for (size_t i = 0; whole && i < axes.size(); ++i) {
    there.push_back(static_cast<int>(x.shape().index(axes[i])));
    int& from = back[static_cast<size_t>(there.back())];
    whole = from < 0;
    from = static_cast<int>(i);
  }
  std::string list;
  for (const int axis : axes) list += (list.empty() ? "" : ", ") + std::to_string(axis);
  ensure<ShapeError>(whole, "permute: found axes [", list, "] for shape ", x.shape(),
                     ", wanted each axis once");
  return record("permute", permuted(x, there), {x},
                [back](const Tensor& dy) { return Grads{permuted(dy, back)}; });
}

}  // namespace jogak
