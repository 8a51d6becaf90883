#include "nn/match_model.h"

#include <cmath>

#include "ops/mul.h"
#include "ops/rms_norm.h"

namespace jogak {

// A root of a mean square is the length over the root of the width.
Tensor of_length_one(const Tensor& rows) {
  return rms_norm(rows, {}, 0) * (1 / std::sqrt(static_cast<double>(rows.dim(1))));
}

}  // namespace jogak
