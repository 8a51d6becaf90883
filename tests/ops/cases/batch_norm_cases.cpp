#include "ops/batch_norm.h"

#include <cmath>

#include "tests/ops/case.h"

namespace jogak::test {
namespace {

constexpr double kEps = 1e-3, kOldMean = 0.25, kOldVar = 1.5;

struct Moments {
  double mean = 0, var = 0;
};

Moments moments(const Values& x, const Values* mask, int64_t column) {
  const int64_t n = x.shape.dim(-1), rows = x.shape.count() / n;
  Moments m;
  double count = 0;
  const auto each = [&](auto body) {
    for (int64_t r = 0; r < rows; ++r)
      if (!mask || (*mask)[r] != 0) body(x[r * n + column]);
  };
  each([&](double) { ++count; });
  each([&](double v) { m.mean += v / count; });
  each([&](double v) { m.var += (v - m.mean) * (v - m.mean) / count; });
  return m;
}

std::vector<Values> reference(std::span<const Values> in, bool training, bool masked) {
  const Values &x = in[0], *mask = masked ? &in[3] : nullptr;
  const int64_t n = x.shape.dim(-1), rows = n ? x.shape.count() / n : 0;
  Values y(x.shape);
  for (int64_t i = 0; i < n; ++i) {
    const Moments m = training ? moments(x, mask, i) : Moments{kOldMean, kOldVar};
    for (int64_t r = 0; r < rows; ++r)
      y[r * n + i] = (x[r * n + i] - m.mean) / std::sqrt(m.var + kEps) * in[1][i] + in[2][i];
  }
  return {y};
}

OpCase make(const char* name, Input x, bool training, bool masked = false,
            std::vector<Input> bench = {}) {
  const Shape feature{x.shape.dim(-1)};
  OpCase c{.op = "batch_norm",
           .name = name,
           .inputs = {x, {feature, Fill::positive}, {feature}},
           .call =
               [=](std::span<const Tensor> in) {
                 const DType sums = sum_dtype(in[0].dtype());
                 const Shape wide{in[0].dim(-1)};
                 const BatchNormState state{full(wide, kOldMean, sums, in[0].device()),
                                            full(wide, kOldVar, sums, in[0].device())};
                 const Tensor y = batch_norm(
                     in[0], in[1], in[2], state,
                     {.training = training, .eps = kEps, .mask = masked ? in[3] : Tensor()});
                 return std::vector{y};
               },
           .reference = [=](std::span<const Values> in) { return reference(in, training, masked); },
           .bench = std::move(bench)};
  if (masked) c.inputs.push_back({x.shape.without(-1), Fill::flags, 0, x.memory});
  return c;
}

const AddCases cases({
    make("one-feature", {{4, 1}}, true),
    make("two-rows", {{2, 5}, Fill::spread}, true),
    make("tails", {{3, 17}}, true, false, {{{37632, 128}}, {{128}}, {{128}}}),
    make("wide", {{2, 3, 67}}, true),
    make("chunks", {{1300, 30}}, true),
    make("many-features", {{5, 300}}, true),
    make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}, true),
    make("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}, true),
    make("masked", {{4, 7, 19}}, true, true),
    make("masked-chunks", {{1300, 30}}, true, true),
    make("masked-transposed", {{4, 7, 9}, Fill::normal, 0, Memory::transposed}, true, true),
    make("evaluation", {{5, 17}}, false),
    make("evaluation-one-row", {{1, 5}}, false),
    make("evaluation-no-rows", {{0, 5}}, false),
    make("evaluation-masked", {{5, 17}}, false, true),
});

}  // namespace
}  // namespace jogak::test
