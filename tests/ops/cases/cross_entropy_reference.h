// The loss in plain loops, for cross_entropy and its fused form.
#pragma once

#include <cmath>

#include "ops/cross_entropy.h"
#include "tests/ops/case.h"

namespace jogak::test {

inline Values reference_entropy(const Values& x, const Values& targets,
                                const CrossEntropyOptions& o) {
  const int64_t n = x.shape.dim(-1), rows = targets.shape.count();
  const double classes = static_cast<double>(n);
  Values losses(targets.shape), total{Shape{}};
  int64_t counted = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const auto target = static_cast<int64_t>(targets[r]);
    if (target == o.ignored) continue;
    ++counted;
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(x[r * n + i]);
    for (int64_t i = 0; i < n; ++i) {
      const double q = o.label_smoothing / classes + (i == target ? 1 - o.label_smoothing : 0);
      losses[r] -= q * (x[r * n + i] - std::log(sum));
    }
    total[0] += losses[r];
  }
  if (o.reduction == Reduction::none) return losses;
  if (o.reduction == Reduction::mean && counted) total[0] /= static_cast<double>(counted);
  return total;
}

}  // namespace jogak::test
