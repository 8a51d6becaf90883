// How ops walk over operands of different shapes: numpy's broadcasting as axes with steps, where
// a step of 0 repeats.
#pragma once

#include "tensor/tensor.h"

namespace jogak {

// Axes of a common shape with the step each of three operands makes along them, in elements.
// Axes over which all three go on as one are one; there is always at least one axis.
struct Loops {
  int rank = 0;
  int64_t size[Shape::kMaxRank];
  int64_t step[3][Shape::kMaxRank];
};

// Steps of a dense tensor of shape `from` seen as shape `to`, which it broadcasts to.
Strides broadcast_strides(const Shape& from, const Shape& to);

Loops merge_loops(const Shape& shape, const Strides& a, const Strides& b, const Strides& c);

// Both of one float type and on one device, or an error that names the op.
void check_pair(const char* op, const Tensor& a, const Tensor& b);

}  // namespace jogak
