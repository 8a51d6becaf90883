#include "ops/scale_series.h"

#include "autograd/autograd.h"
#include "ops/scale_series_kernel.h"

namespace jogak {

static void check(const Tensor& x, const Tensor& observed, const SeriesScaleOptions& o) {
  ensure<ShapeError>(x.rank() == 3 && is_float(x.dtype()), "scale_series: found ", x.dtype(), " ",
                     x.shape(), ", wanted floats [windows, time, series]");
  ensure<UsageError>(o.minimum >= 0 && o.otherwise >= 0,
                     "scale_series: wanted no negative scale, got ", o.minimum, " and ",
                     o.otherwise);
  ensure_together("scale_series", {&x, &observed});
  if (observed.defined())
    ensure<ShapeError>(observed.shape() == x.shape() && observed.dtype() == DType::boolean,
                       "scale_series: observed ", observed.dtype(), " ", observed.shape(),
                       ", wanted bool ", x.shape());
}

ScaledSeries scale_series(const Tensor& in, const Tensor& observed_in,
                          const SeriesScaleOptions& options) {
  check(in, observed_in, options);
  const Tensor x = dense(in), values = empty_like(x);
  const Tensor observed = observed_in.defined() ? dense(observed_in) : observed_in;
  const Shape one = x.shape().with(1, 1);
  const Tensor loc = empty(one, x.dtype(), x.device()), scale = empty(one, x.dtype(), x.device());
  const Tensor sums = empty({3 * x.dim(0) + 1, x.dim(2)}, DType::f64, x.device());
  launch(x.device(),
         ScaleSeriesArgs{.dtype = x.dtype(),
                         .options = options,
                         .x = x.raw(),
                         .observed = observed.defined() ? observed.data<bool>() : nullptr,
                         .batch = x.dim(0),
                         .time = x.dim(1),
                         .series = x.dim(2),
                         .sums = sums.data<double>(),
                         .values = values.raw(),
                         .loc = loc.raw(),
                         .scale = scale.raw()});
  return {record_constant("scale_series", values, {in}), record_constant("scale_series", loc, {in}),
          record_constant("scale_series", scale, {in})};
}

}  // namespace jogak
