#include "ops/regression.h"

#include <cmath>

#include "tests/ops/case.h"

namespace jogak::test {
namespace {

struct Loss {
  const char* op;
  Tensor (*call)(const Tensor& prediction, const Tensor& target, const Tensor& mask);
  double (*of_one)(double prediction, double target);
};

Values reference(std::span<const Values> in, const Loss& loss) {
  Values out{Shape{}};
  double counted = 0;
  for (size_t i = 0; i < in[0].v.size(); ++i) {
    if (in.size() > 2 && in[2].v[i] == 0) continue;
    out[0] += loss.of_one(in[0].v[i], in[1].v[i]);
    ++counted;
  }
  if (counted > 0) out[0] /= counted;
  return out;
}

OpCase make(const Loss& loss, const char* name, Input prediction, Input target, bool masked = false,
            std::vector<Input> bench = {}) {
  OpCase c{
      .op = loss.op,
      .name = name,
      .inputs = {prediction, target},
      .call =
          [loss](std::span<const Tensor> in) {
            return std::vector{loss.call(in[0], in[1], in.size() > 2 ? in[2] : Tensor())};
          },
      .reference = [loss](std::span<const Values> in) { return std::vector{reference(in, loss)}; },
      .bench = std::move(bench)};
  if (masked) c.inputs.push_back({prediction.shape, Fill::flags, 0, target.memory});
  return c;
}

std::vector<OpCase> cases_of(const Loss& loss) {
  return {
      make(loss, "one", {{1}}, {{1}}),
      make(loss, "scalar", {{}}, {{}}),
      make(loss, "tails", {{3, 17}}, {{3, 17}}, false, {{{4096, 512}}, {{4096, 512}}}),
      make(loss, "wide", {{2, 3, 67}}, {{2, 3, 67}}),
      make(loss, "pieces", {{5, 3600}}, {{5, 3600}}),
      make(loss, "empty", {{0, 4}}, {{0, 4}}),
      make(loss, "transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}, {{4, 9}}),
      make(loss, "sliced", {{3, 8}}, {{3, 8}, Fill::normal, 0, Memory::sliced}),
      make(loss, "masked", {{7, 33}}, {{7, 33}}, true),
      make(loss, "masked-pieces", {{5, 3600}}, {{5, 3600}}, true),
      make(loss, "masked-transposed", {{7, 9}}, {{7, 9}, Fill::normal, 0, Memory::transposed},
           true),
  };
}

const AddCases squares(cases_of({"mse", mse,
                                 [](double p, double t) { return (p - t) * (p - t); }}));
const AddCases absolutes(cases_of({"mae", mae,
                                   [](double p, double t) { return std::fabs(p - t); }}));
// The formula holds for any target, also for those outside 0 .. 1 that the cases draw.
const AddCases odds(cases_of({"binary_cross_entropy", binary_cross_entropy, [](double x, double t) {
                                const double up = 1 / (1 + std::exp(-x));
                                return -t * std::log(up) - (1 - t) * std::log(1 - up);
                              }}));

}  // namespace
}  // namespace jogak::test
