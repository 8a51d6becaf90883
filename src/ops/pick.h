#pragma once

#include <utility>

#include "tensor/tensor.h"

namespace jogak {

// All work over the last axis. NaN counts as larger than every number, so that a broken row
// shows; of equals the lower index comes first. Ids are i64 and have no derivative.

Tensor argmax(const Tensor& x);  // [.., n] -> [..]; n at least 1

// The same, but -1 where the largest is no number one could choose by: NaN or an infinity.
Tensor argmax_finite(const Tensor& x);

// The k largest of each row in falling order, and their ids: [.., n] -> [.., k] twice. The
// gradient of the values goes back to where they were taken from.
std::pair<Tensor, Tensor> top_k(const Tensor& x, int64_t k);

}  // namespace jogak
