#include <cmath>

#include "ops/softmax.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

std::vector<Values> reference(std::span<const Values> in) {
  const Values& x = in[0];
  Values y(x.shape);
  const int64_t n = x.shape.dim(-1), rows = n ? x.shape.count() / n : 0;
  for (int64_t r = 0; r < rows; ++r) {
    double top = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; ++i) top = std::max(top, x[r * n + i]);
    for (int64_t i = 0; i < n; ++i) sum += std::exp(x[r * n + i] - top);
    for (int64_t i = 0; i < n; ++i) y[r * n + i] = std::exp(x[r * n + i] - top) / sum;
  }
  return {y};
}

OpCase make(const char* name, Input input, std::vector<Input> bench = {}) {
  return {.op = "softmax",
          .name = name,
          .inputs = {input},
          .call = [](std::span<const Tensor> in) { return std::vector{softmax(in[0])}; },
          .reference = reference,
          .bench = std::move(bench)};
}

OpCase weighed(const char* name, Input x, Input scores, std::vector<Input> bench = {}) {
  return {.op = "mul_softmax",
          .name = name,
          .inputs = {x, scores},
          .call = [](std::span<const Tensor> in) { return std::vector{mul_softmax(in[0], in[1])}; },
          .reference =
              [](std::span<const Values> in) {
                Values y = reference(in.subspan(1))[0];
                for (int64_t i = 0; i < y.shape.count(); ++i) y[i] *= in[0][i];
                return std::vector{y};
              },
          .bench = std::move(bench)};
}

const AddCases cases({
    make("one", {{1}}),
    make("row", {{5}}, {{{4096, 1024}}}),
    make("tails", {{3, 17}}),
    make("wide", {{2, 3, 67}}),
    make("empty-rows", {{0, 4}}),
    make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    make("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
    weighed("vectors", {{9, 16}}, {{9, 16}}, {{{5376, 16}}, {{5376, 16}}}),
    weighed("short", {{2, 3, 5}}, {{2, 3, 5}}),
    weighed("long", {{3, 67}}, {{3, 67}}),
    weighed("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}, {{4, 9}}),
});

}  // namespace
}  // namespace jogak::test
