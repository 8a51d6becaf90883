#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace jogak {

// Each element is 0 with probability `rate`, else x / (1 - rate). Element i is kept when word
// i % 4 of philox(seed, stream, i / 4) is at least floor(rate * 2^32): the same for any dtype,
// device, instruction set and number of threads. The mask is never stored; backward draws it
// again. A rate of 0 gives x itself.
Tensor dropout(const Tensor& x, double rate, uint64_t seed, uint64_t stream);

}  // namespace jogak
