#include "tests/support/golden.h"

#include <cmath>
#include <limits>

namespace jogak::test {

double relative_distance(const Tensor& got, const Tensor& wanted, const std::vector<bool>& skip) {
  if (!(got.shape() == wanted.shape())) return std::numeric_limits<double>::infinity();
  const auto a = to_host<double>(got), b = to_host<double>(wanted);
  double diff = 0, top = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    if (!skip.empty() && skip[i]) continue;
    diff = std::max(diff, std::fabs(a[i] - b[i]));
    top = std::max(top, std::fabs(b[i]));
  }
  return top > 0 ? diff / top : diff;
}

}  // namespace jogak::test
