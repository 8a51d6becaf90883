#include "ops/regression.h"

#include <cmath>

#include "tests/ops/case.h"

namespace jogak::test {
namespace {

Values reference(std::span<const Values> in, bool squared) {
  Values out{Shape{}};
  double counted = 0;
  for (size_t i = 0; i < in[0].v.size(); ++i) {
    if (in.size() > 2 && in[2].v[i] == 0) continue;
    const double gap = in[0].v[i] - in[1].v[i];
    out[0] += squared ? gap * gap : std::fabs(gap);
    ++counted;
  }
  if (counted > 0) out[0] /= counted;
  return out;
}

OpCase make(bool squared, const char* name, Input prediction, Input target, bool masked = false,
            std::vector<Input> bench = {}) {
  OpCase c{
      .op = squared ? "mse" : "mae",
      .name = name,
      .inputs = {prediction, target},
      .call =
          [squared](std::span<const Tensor> in) {
            const Tensor mask = in.size() > 2 ? in[2] : Tensor();
            return std::vector{squared ? mse(in[0], in[1], mask) : mae(in[0], in[1], mask)};
          },
      .reference =
          [squared](std::span<const Values> in) { return std::vector{reference(in, squared)}; },
      .bench = std::move(bench)};
  if (masked) c.inputs.push_back({prediction.shape, Fill::flags, 0, target.memory});
  return c;
}

std::vector<OpCase> both(bool squared) {
  return {
      make(squared, "one", {{1}}, {{1}}),
      make(squared, "scalar", {{}}, {{}}),
      make(squared, "tails", {{3, 17}}, {{3, 17}}, false, {{{4096, 512}}, {{4096, 512}}}),
      make(squared, "wide", {{2, 3, 67}}, {{2, 3, 67}}),
      make(squared, "pieces", {{5, 3600}}, {{5, 3600}}),
      make(squared, "empty", {{0, 4}}, {{0, 4}}),
      make(squared, "transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}, {{4, 9}}),
      make(squared, "sliced", {{3, 8}}, {{3, 8}, Fill::normal, 0, Memory::sliced}),
      make(squared, "masked", {{7, 33}}, {{7, 33}}, true),
      make(squared, "masked-pieces", {{5, 3600}}, {{5, 3600}}, true),
      make(squared, "masked-transposed", {{7, 9}}, {{7, 9}, Fill::normal, 0, Memory::transposed},
           true),
  };
}

const AddCases squares(both(true));
const AddCases absolutes(both(false));

}  // namespace
}  // namespace jogak::test
