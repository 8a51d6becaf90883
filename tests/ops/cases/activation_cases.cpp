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
    case Activation::exp: return std::exp(x);
    case Activation::quick_gelu: return x / (1 + std::exp(-1.702 * x));
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

// The slope of ReLU jumps at 0: its inputs keep away from there.
std::vector<OpCase> all_activations() {
  std::vector<OpCase> out;
  for (const ActivationNames& names : kActivations) {
    if (names.kind == Activation::none) continue;
    const Fill fill = names.kind == Activation::relu ? Fill::spread : Fill::normal;
    for (OpCase& one : cases_of(names.op, names.kind, fill)) out.push_back(std::move(one));
  }
  return out;
}

const AddCases activation_cases(all_activations());

}  // namespace
}  // namespace jogak::test
