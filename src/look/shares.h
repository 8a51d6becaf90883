// Logits as probabilities, in double precision.
#pragma once

#include <cstdint>
#include <vector>

namespace jogak {

// Softmax of one row of logits [rows, width].
std::vector<double> shares_of(const std::vector<float>& logits, int64_t row, int64_t width);

}  // namespace jogak
