#pragma once

#include "ops/scale_series_kind.h"
#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct ScaleSeriesArgs {
  DType dtype;
  SeriesScaleOptions options;
  const void* x;
  const bool* observed;  // null: all
  int64_t batch, time, series;
  double* sums;                // room for [3 * batch + 1, series]
  void *values, *loc, *scale;  // loc and scale [batch, series]
};

void run(OnCpu, const ScaleSeriesArgs& a);

namespace cuda {
void run(OnCuda, const ScaleSeriesArgs& a);
}  // namespace cuda

}  // namespace jogak
