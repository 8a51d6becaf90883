#pragma once

#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace jogak {

// A view of [begin, end) along an axis; negative axes count from the end. The gradient is zero
// outside.
Tensor slice(const Tensor& x, int axis, int64_t begin, int64_t end);

// Views of consecutive parts along an axis, as large as `sizes` says, which must add up to the
// axis. The gradient is put together once, however many parts there are.
std::vector<Tensor> split(const Tensor& x, int axis, std::span<const int64_t> sizes);

}  // namespace jogak
