#include "nn/positions.h"

#include <cmath>
#include <vector>

namespace jogak {

Tensor sinusoids(int64_t positions, int64_t width, SinusoidLayout layout, Device& device) {
  std::vector<float> values(static_cast<size_t>(positions * width));
  const int64_t sines = (width + 1) / 2;  // of an odd width there is one sine more
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t j = 0; j < width; ++j) {
      const auto pair = static_cast<double>(j / 2 * 2);
      const double angle =
          static_cast<double>(p) / std::pow(10000.0, pair / static_cast<double>(width));
      const double value = j % 2 == 0 ? std::sin(angle) : std::cos(angle);
      const int64_t half = j % 2 == 0 ? j / 2 : sines + j / 2;
      values[static_cast<size_t>(p * width + (layout == SinusoidLayout::halves ? half : j))] =
          static_cast<float>(value);
    }
  return from_values(values, {positions, width}, device);
}

}  // namespace jogak
