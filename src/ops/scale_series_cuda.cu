#include "ops/scale_series_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

// A thread a window of a series; `sums` keeps its count, sum (or mean) and squares.
template <class T>
struct Measure {
  ScaleSeriesArgs a;
  __device__ void operator()(int64_t i) const {
    const int64_t b = i / a.series, s = i - b * a.series;
    const T* const x = static_cast<const T*>(a.x) + b * a.time * a.series + s;
    const bool* const observed = a.observed ? a.observed + b * a.time * a.series + s : nullptr;
    double* const out = a.sums + 3 * b * a.series + s;
    double count = 0, sum = 0, squares = 0;
    const SeriesScaling kind = a.options.kind;
    if (kind != SeriesScaling::none) {
      for (int64_t t = 0; t < a.time; ++t) {
        if (observed && !observed[t * a.series]) continue;
        const double v = static_cast<double>(wide(x[t * a.series]));
        count += 1;
        sum += kind == SeriesScaling::mean ? fabs(v) : v;
      }
    }
    if (kind == SeriesScaling::deviation) {
      sum /= fmax(count, 1.0);
      for (int64_t t = 0; t < a.time; ++t) {
        if (observed && !observed[t * a.series]) continue;
        const double gap = static_cast<double>(wide(x[t * a.series])) - sum;
        squares += gap * gap;
      }
    }
    out[0] = count;
    out[a.series] = sum;
    out[2 * a.series] = squares;
  }
};

// The mean of |x| over all windows of a series.
struct MeasureWhole {
  ScaleSeriesArgs a;
  __device__ void operator()(int64_t s) const {
    double count = 0, sum = 0;
    for (int64_t b = 0; b < a.batch; ++b) {
      count += a.sums[3 * b * a.series + s];
      sum += a.sums[(3 * b + 1) * a.series + s];
    }
    a.sums[3 * a.batch * a.series + s] =
        a.options.otherwise > 0 ? a.options.otherwise : sum / fmax(count, 1.0);
  }
};

template <class T>
struct Apply {
  ScaleSeriesArgs a;
  __device__ void operator()(int64_t i) const {
    const int64_t b = i / (a.time * a.series), s = i % a.series;
    const double* const sums = a.sums + 3 * b * a.series + s;
    const double count = sums[0], n = fmax(count, 1.0);
    const double whole = a.sums[3 * a.batch * a.series + s];
    double loc = 0, scale = 1;
    if (a.options.kind == SeriesScaling::mean)
      scale = fmax(count > 0 ? sums[a.series] / n : whole, a.options.minimum);
    if (a.options.kind == SeriesScaling::deviation) {
      loc = sums[a.series];
      scale = sqrt(sums[2 * a.series] / n + a.options.minimum);
    }
    const auto rounded = [](double v) { return narrow<T>(static_cast<Sum<T>>(v)); };
    static_cast<T*>(a.values)[i] =
        rounded((static_cast<double>(wide(static_cast<const T*>(a.x)[i])) - loc) / scale);
    if (i / a.series % a.time > 0) return;
    static_cast<T*>(a.loc)[b * a.series + s] = rounded(loc);
    static_cast<T*>(a.scale)[b * a.series + s] = rounded(scale);
  }
};

}  // namespace

void run(OnCuda on, const ScaleSeriesArgs& a) {
  for_float(a.dtype, [&]<class T>() {
    each(on, a.batch * a.series, Measure<T>{a});
    each(on, a.series, MeasureWhole{a});
    each(on, a.batch * a.time * a.series, Apply<T>{a});
  });
}

}  // namespace jogak::cuda
