#include "ops/scale_series.h"

#include <cmath>

#include "tests/ops/case.h"

namespace jogak::test {
namespace {

struct Plain {
  double loc = 0, scale = 1;
};

Plain plain(const std::vector<double>& seen, const SeriesScaleOptions& o, double whole) {
  double sum = 0, size = 0, squares = 0;
  for (const double v : seen) sum += v, size += std::fabs(v);
  const double n = seen.empty() ? 1 : static_cast<double>(seen.size());
  for (const double v : seen) squares += (v - sum / n) * (v - sum / n);
  if (o.kind == SeriesScaling::none) return {};
  if (o.kind == SeriesScaling::mean)
    return {0, std::max(seen.empty() ? whole : size / n, o.minimum)};
  return {sum / n, std::sqrt(squares / n + o.minimum)};
}

std::vector<Values> reference(std::span<const Values> in, const SeriesScaleOptions& o) {
  const Values& x = in[0];
  const int64_t B = x.shape[0], L = x.shape[1], M = x.shape[2];
  Values y(x.shape), loc({B, 1, M}), scale({B, 1, M});
  for (int64_t s = 0; s < M; ++s) {
    std::vector<std::vector<double>> seen(static_cast<size_t>(B));
    double sum = 0, count = 0;
    for (int64_t i = 0; i < B * L; ++i)
      if (in.size() < 2 || in[1][i * M + s] != 0) {
        seen[static_cast<size_t>(i / L)].push_back(x[i * M + s]);
        sum += std::fabs(x[i * M + s]), ++count;
      }
    const double whole = o.otherwise > 0 ? o.otherwise : sum / std::max(count, 1.0);
    for (int64_t b = 0; b < B; ++b) {
      const Plain p = plain(seen[static_cast<size_t>(b)], o, whole);
      loc[b * M + s] = p.loc, scale[b * M + s] = p.scale;
      for (int64_t t = 0; t < L; ++t)
        y[(b * L + t) * M + s] = (x[(b * L + t) * M + s] - p.loc) / p.scale;
    }
  }
  return {y, loc, scale};
}

OpCase make(const char* name, SeriesScaleOptions o, Input x, bool masked = false,
            std::vector<Input> bench = {}) {
  OpCase c{.op = "scale_series",
           .name = name,
           .inputs = {x},
           .call =
               [o](std::span<const Tensor> in) {
                 const ScaledSeries out = scale_series(in[0], in.size() > 1 ? in[1] : Tensor(), o);
                 return std::vector{out.values, out.loc, out.scale};
               },
           .reference = [o](std::span<const Values> in) { return reference(in, o); },
           .differentiable = false,
           .bench = std::move(bench)};
  if (masked) c.inputs.push_back({x.shape, Fill::flags});
  return c;
}

constexpr SeriesScaleOptions kDeviation{SeriesScaling::deviation, 1e-3, 0};
constexpr SeriesScaleOptions kMean{SeriesScaling::mean, 1e-3, 0};
constexpr SeriesScaleOptions kMeanOrTwo{SeriesScaling::mean, 1e-3, 2};
constexpr SeriesScaleOptions kNone{SeriesScaling::none, 0, 0};

const AddCases cases({
    make("deviation", kDeviation, {{3, 17, 5}}, false, {{{128, 336, 7}}}),
    make("deviation-of-one", kDeviation, {{2, 1, 3}}),
    make("deviation-masked", kDeviation, {{4, 9, 3}}, true),
    make("deviation-transposed", kDeviation, {{2, 9, 4}, Fill::normal, 0, Memory::transposed}),
    make("deviation-nothing-seen", kDeviation, {{1, 1, 40}}, true),
    make("mean", kMean, {{3, 17, 5}}),
    make("mean-masked", kMean, {{4, 9, 3}}, true),
    make("mean-nothing-seen", kMean, {{3, 1, 40}}, true),
    make("mean-nothing-seen-but-said", kMeanOrTwo, {{3, 1, 40}}, true),
    make("mean-sliced", kMean, {{2, 5, 8}, Fill::normal, 0, Memory::sliced}),
    make("none", kNone, {{2, 5, 3}}),
    make("no-windows", kDeviation, {{0, 5, 3}}),
    make("no-series", kMean, {{2, 5, 0}}),
});

}  // namespace
}  // namespace jogak::test
