#include <cmath>
#include <numbers>

#include "ops/activation.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

double value(Activation kind, double x) {
  switch (kind) {
    case Activation::none: return x;
    case Activation::relu: return x > 0 ? x : 0;
    case Activation::gelu: return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    case Activation::gelu_tanh:
      return 0.5 * x *
             (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::tanh: return std::tanh(x);
  }
  return 0;
}

std::vector<OpCase> cases_of(const char* op, Activation kind, Fill fill) {
  const auto make = [&](const char* name, Input input, std::vector<Input> bench = {}) {
    input.fill = fill;
    return OpCase{
        .op = op,
        .name = name,
        .inputs = {input},
        .call = [kind](std::span<const Tensor> in) { return std::vector{activate(in[0], kind)}; },
        .reference =
            [kind](std::span<const Values> in) {
              Values y = in[0];
              for (double& v : y.v) v = value(kind, v);
              return std::vector{y};
            },
        .bench = std::move(bench)};
  };
  return {
      make("scalar", {{}}),
      make("one", {{1}}),
      make("tails", {{3, 5}}, {{{256, 3072}}}),
      make("vector-and-one", {{17}}),
      make("many", {{2, 3, 67}}),
      make("pieces", {{8195}}),  // two pieces of work, the second all tail
      make("empty", {{0, 3}}),
      make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
      make("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
  };
}

const AddCases relu_cases(cases_of("relu", Activation::relu, Fill::spread));
const AddCases gelu_cases(cases_of("gelu", Activation::gelu, Fill::normal));
const AddCases gelu_tanh_cases(cases_of("gelu_tanh", Activation::gelu_tanh, Fill::normal));
const AddCases silu_cases(cases_of("silu", Activation::silu, Fill::normal));
const AddCases tanh_cases(cases_of("tanh", Activation::tanh, Fill::normal));

}  // namespace
}  // namespace jogak::test
