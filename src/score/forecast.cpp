#include "score/forecast.h"

#include <cmath>

#include "base/error.h"

namespace jogak {

void ForecastScore::add(std::span<const float> found, std::span<const float> wanted) {
  ensure<Error>(found.size() == wanted.size(), "found ", found.size(), " values for ",
                wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const double away = double{found[i]} - double{wanted[i]};
    squares_ += away * away;
    sums_ += std::abs(away);
  }
  values_ += static_cast<int64_t>(found.size());
}

}  // namespace jogak
