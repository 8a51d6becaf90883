#include <cmath>

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

const AddCases cases({
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
