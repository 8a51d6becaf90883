#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "ops/scale_series_kernel.h"

namespace jogak {
namespace {

// One window: counts, sums and (of deviation) squares about the mean, a number a series.
template <class T>
struct Window {
  const ScaleSeriesArgs& a;
  int64_t b;
  const T* x = static_cast<const T*>(a.x) + b * a.time * a.series;
  const bool* observed = a.observed ? a.observed + b * a.time * a.series : nullptr;
  double* count = a.sums + 3 * b * a.series;
  double* sum = count + a.series;
  double* squares = sum + a.series;

  // f(series, value) for everything that was observed.
  template <class F>
  void each(F f) const {
    for (int64_t t = 0, i = 0; t < a.time; ++t)
      for (int64_t s = 0; s < a.series; ++s, ++i)
        if (!observed || observed[i]) f(s, convert<double>(x[i]));
  }

  void measure() const {
    const SeriesScaling kind = a.options.kind;
    std::fill(count, count + 3 * a.series, 0.0);
    if (kind == SeriesScaling::none) return;
    each([&](int64_t s, double v) {
      ++count[s];
      sum[s] += kind == SeriesScaling::mean ? std::fabs(v) : v;
    });
    if (kind == SeriesScaling::mean) return;
    for (int64_t s = 0; s < a.series; ++s) sum[s] /= std::max(count[s], 1.0);
    each([&](int64_t s, double v) { squares[s] += (v - sum[s]) * (v - sum[s]); });
  }

  double scale_of(int64_t s, double whole) const {
    const double n = std::max(count[s], 1.0);
    switch (a.options.kind) {
      case SeriesScaling::none: break;
      case SeriesScaling::mean:
        return std::max(count[s] > 0 ? sum[s] / n : whole, a.options.minimum);
      case SeriesScaling::deviation: return std::sqrt(squares[s] / n + a.options.minimum);
    }
    return 1;
  }

  // `whole` is the scale of all windows, for those without an observation.
  void apply(const double* whole) const {
    T* const loc = static_cast<T*>(a.loc) + b * a.series;
    T* const scale = static_cast<T*>(a.scale) + b * a.series;
    T* const y = static_cast<T*>(a.values) + b * a.time * a.series;
    for (int64_t s = 0; s < a.series; ++s) {
      squares[s] = scale_of(s, whole[s]);  // what was summed has done its duty
      if (a.options.kind != SeriesScaling::deviation) sum[s] = 0;
      loc[s] = convert<T>(sum[s]);
      scale[s] = convert<T>(squares[s]);
    }
    for (int64_t t = 0, i = 0; t < a.time; ++t)
      for (int64_t s = 0; s < a.series; ++s, ++i)
        y[i] = convert<T>((convert<double>(x[i]) - sum[s]) / squares[s]);
  }
};

// The mean of |x| over all windows.
void measure_whole(const ScaleSeriesArgs& a, double* whole) {
  for (int64_t s = 0; s < a.series; ++s) {
    double count = 0, sum = 0;
    for (int64_t b = 0; b < a.batch; ++b) {
      count += a.sums[3 * b * a.series + s];
      sum += a.sums[(3 * b + 1) * a.series + s];
    }
    whole[s] = a.options.otherwise > 0 ? a.options.otherwise : sum / std::max(count, 1.0);
  }
}

}  // namespace

void run(OnCpu, const ScaleSeriesArgs& a) {
  double* const whole = a.sums + 3 * a.batch * a.series;
  for_float_type(a.dtype, [&]<class T>() {
    parallel_for(a.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) Window<T>{a, b}.measure();
    });
    measure_whole(a, whole);
    parallel_for(a.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) Window<T>{a, b}.apply(whole);
    });
  });
}

}  // namespace jogak
