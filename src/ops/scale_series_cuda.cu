#include "ops/scale_series_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

constexpr int kWarps = 4;

// A warp a window of a series; `sums` keeps its count, sum (or mean) and squares.
template <class T>
__global__ void measure_kernel(ScaleSeriesArgs a) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
  if (i >= a.batch * a.series) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t b = i / a.series, s = i - b * a.series;
  const T* const x = static_cast<const T*>(a.x) + b * a.time * a.series + s;
  const bool* const observed = a.observed ? a.observed + b * a.time * a.series + s : nullptr;
  const SeriesScaling kind = a.options.kind;
  double count = 0, sum = 0, squares = 0;
  for (int64_t t = lane; kind != SeriesScaling::none && t < a.time; t += 32) {
    if (observed && !observed[t * a.series]) continue;
    const double v = static_cast<double>(wide(x[t * a.series]));
    count += 1;
    sum += kind == SeriesScaling::mean ? fabs(v) : v;
  }
  count = over_warp(count, Plus());
  sum = over_warp(sum, Plus());
  if (kind == SeriesScaling::deviation) {
    sum /= fmax(count, 1.0);
    for (int64_t t = lane; t < a.time; t += 32) {
      if (observed && !observed[t * a.series]) continue;
      const double gap = static_cast<double>(wide(x[t * a.series])) - sum;
      squares += gap * gap;
    }
    squares = over_warp(squares, Plus());
  }
  if (lane > 0) return;
  double* const out = a.sums + 3 * b * a.series + s;
  out[0] = count;
  out[a.series] = sum;
  out[2 * a.series] = squares;
}

// The mean of |x| over all windows of a series, by a warp.
__global__ void whole_kernel(ScaleSeriesArgs a) {
  const int64_t s = blockIdx.x;
  double count = 0, sum = 0;
  for (int64_t b = threadIdx.x; b < a.batch; b += 32) {
    count += a.sums[3 * b * a.series + s];
    sum += a.sums[(3 * b + 1) * a.series + s];
  }
  count = over_warp(count, Plus());
  sum = over_warp(sum, Plus());
  if (threadIdx.x == 0)
    a.sums[3 * a.batch * a.series + s] =
        a.options.otherwise > 0 ? a.options.otherwise : sum / fmax(count, 1.0);
}

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
    const int64_t windows = a.batch * a.series;
    start(on, {.blocks = (windows + kWarps - 1) / kWarps, .threads = 32 * kWarps},
          measure_kernel<T>, a);
    start(on, {.blocks = a.series, .threads = 32}, whole_kernel, a);
    each(on, a.batch * a.time * a.series, Apply<T>{a});
  });
}

}  // namespace jogak::cuda
