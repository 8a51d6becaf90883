#include <cmath>

#include "ops/linear.h"
#include "ops/swiglu.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

std::vector<Values> reference(std::span<const Values> in) {
  Values y = in[0];
  for (int64_t i = 0; i < y.shape.count(); ++i) y[i] = y[i] / (1 + std::exp(-y[i])) * in[1][i];
  return {y};
}

OpCase make(const char* name, Input gate, Input up, std::vector<Input> bench = {}) {
  return {.op = "swiglu",
          .name = name,
          .inputs = {gate, up},
          .call = [](std::span<const Tensor> in) { return std::vector{swiglu(in[0], in[1])}; },
          .reference = reference,
          .bench = std::move(bench)};
}

OpCase packed(const char* name, Input in, std::vector<Input> bench = {}) {
  return {.op = "swiglu_packed",
          .name = name,
          .inputs = {in},
          .call = [](std::span<const Tensor> x) { return std::vector{swiglu_packed(x[0])}; },
          .reference =
              [](std::span<const Values> x) {
                const int64_t n = x[0].shape.dim(-1) / 2;
                Values gate(x[0].shape.with(-1, n)), up = gate;
                for (int64_t i = 0; i < gate.shape.count(); ++i) {
                  gate[i] = x[0][i / n * 2 * n + i % n];
                  up[i] = x[0][i / n * 2 * n + n + i % n];
                }
                return reference(std::vector{gate, up});
              },
          .bench = std::move(bench)};
}

// x, the weights of gate and up, and a bias: the layer before it in one call.
OpCase layer(const char* name, int64_t rows, int64_t in, int64_t inner,
             std::vector<Input> bench = {}) {
  return {
      .op = "linear_swiglu",
      .name = name,
      .inputs = {{{rows, in}}, {{2 * inner, in}}, {{2 * inner}}},
      .call =
          [](std::span<const Tensor> x) { return std::vector{linear_swiglu(x[0], x[1], x[2])}; },
      .reference =
          [=](std::span<const Values> x) {
            Values gate(Shape{rows, inner}), up = gate;
            const auto sum = [&](int64_t r, int64_t c) {
              double out = x[2][c];
              for (int64_t k = 0; k < in; ++k) out += x[0][r * in + k] * x[1][c * in + k];
              return out;
            };
            for (int64_t i = 0; i < rows * inner; ++i) {
              gate[i] = sum(i / inner, i % inner);
              up[i] = sum(i / inner, inner + i % inner);
            }
            return reference(std::vector{gate, up});
          },
      .slack = 6,  // two sums, as those of linear, times each other
      .bench = std::move(bench)};
}

const AddCases cases({
    layer("one", 1, 1, 1),
    layer("one-row", 1, 64, 24, {{{1, 768}}, {{6144, 768}}, {{6144}}}),
    layer("few-rows", 5, 520, 9),
    layer("eight-rows", 8, 16, 33),
    layer("many-rows", 9, 24, 8),
    layer("odd", 3, 7, 5),
    layer("no-rows", 0, 8, 3),
    packed("one", {{2}}),
    packed("tails", {{3, 10}}, {{{256, 6144}}}),
    packed("vector-and-one", {{5, 34}}),
    packed("batches", {{2, 3, 134}}),
    packed("pieces", {{70, 1030}}),
    packed("no-rows", {{0, 6}}),
    packed("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
    packed("transposed", {{4, 18}, Fill::normal, 0, Memory::transposed}),
    make("scalar", {{}}, {{}}),
    make("one", {{1}}, {{1}}),
    make("tails", {{3, 5}}, {{3, 5}}, {{{256, 3072}}, {{256, 3072}}}),
    make("vector-and-one", {{17}}, {{17}}),
    make("many", {{2, 3, 67}}, {{2, 3, 67}}),
    make("pieces", {{8195}}, {{8195}}),
    make("empty", {{0, 3}}, {{0, 3}}),
    make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}, {{4, 9}}),
    make("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced},
         {{3, 8}, Fill::normal, 0, Memory::sliced}),
});

}  // namespace
}  // namespace jogak::test
