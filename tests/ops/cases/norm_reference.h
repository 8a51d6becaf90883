// Norms by rows in plain loops, for the cases of every norm.
#pragma once

#include <cmath>

#include "tests/ops/case.h"

namespace jogak::test {

inline Values reference_norm(const Values& x, const Values* weight, const Values* bias,
                             bool centered, double eps) {
  Values y(x.shape);
  const int64_t n = x.shape.dim(-1), rows = n ? x.shape.count() / n : 0;
  for (int64_t r = 0; r < rows; ++r) {
    double mean = 0, square = 0;
    if (centered)
      for (int64_t i = 0; i < n; ++i) mean += x[r * n + i] / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i)
      square += (x[r * n + i] - mean) * (x[r * n + i] - mean) / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) {
      const double xhat = (x[r * n + i] - mean) / std::sqrt(square + eps);
      y[r * n + i] = xhat * (weight ? (*weight)[i] : 1) + (bias ? (*bias)[i] : 0);
    }
  }
  return y;
}

}  // namespace jogak::test
