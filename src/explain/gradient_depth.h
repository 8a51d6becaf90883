// How gradients fare in a deep stack, with and without residuals and norms: small stacks of
// relu(x·W1)·W2 whose weights come from sines, so that any language can build the same ones.
#pragma once

#include <vector>

#include "draw/matrix.h"

namespace jogak {

enum class Wiring : uint8_t { plain, residual, norm_before, norm_after };

inline constexpr int64_t kStackWidth = 16;

// The norm of the gradient of sum(output · (1, -1, 1, ...)) by the input of each layer, the first
// layer first.
std::vector<double> gradient_norms(Wiring wiring, int64_t depth);

}  // namespace jogak
