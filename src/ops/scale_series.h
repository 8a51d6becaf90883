#pragma once

#include "ops/scale_series_kind.h"
#include "tensor/tensor.h"

namespace jogak {

struct ScaledSeries {
  Tensor values;      // [B, time, series]
  Tensor loc, scale;  // [B, 1, series]: x = values * scale + loc
};

// Every window of every series is brought to one size by what was observed of it: x [B, time,
// series], `observed` bool of the same shape or undefined: all was.
//   deviation: loc is the mean, scale the root of the variance (divided by n) plus `minimum`
//   mean:      loc is 0, scale the mean of |x|
//   none:      loc is 0, scale 1
// What was not observed is scaled like the rest and touches neither. Sums are made in double.
// Results have no derivative: they are made of data.
ScaledSeries scale_series(const Tensor& x, const Tensor& observed,
                          const SeriesScaleOptions& options);

}  // namespace jogak
