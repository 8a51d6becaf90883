#include "look/shares.h"

#include <algorithm>
#include <cmath>

namespace jogak {

std::vector<double> shares_of(const std::vector<float>& logits, int64_t row, int64_t width) {
  const auto from = logits.begin() + row * width;
  std::vector<double> out(from, from + width);
  if (out.empty()) return out;
  const double largest = *std::max_element(out.begin(), out.end());
  double sum = 0;
  for (double& x : out) sum += x = std::exp(x - largest);
  for (double& x : out) x /= sum;
  return out;
}

}  // namespace jogak
