#pragma once

#include <cstdint>

namespace jogak {

enum class SeriesScaling : uint8_t { none, mean, deviation };

struct SeriesScaleOptions {
  SeriesScaling kind = SeriesScaling::deviation;
  // Of deviation: added to the variance. Of mean: the scale is at least this.
  double minimum = 1e-5;
  // Of mean, for a window of which nothing was observed; 0: the scale of the whole batch.
  double otherwise = 0;
};

}  // namespace jogak
