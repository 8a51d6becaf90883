#include "ops/linear_cross_entropy.h"

#include "tests/ops/cases/cross_entropy_reference.h"

namespace jogak::test {
namespace {

Values logits_of(const Values& x, const Values& weight) {
  const int64_t classes = weight.shape[0], features = weight.shape[1];
  Values out(x.shape.with(-1, classes));
  for (int64_t r = 0; r < out.shape.count() / classes; ++r)
    for (int64_t c = 0; c < classes; ++c)
      for (int64_t i = 0; i < features; ++i)
        out[r * classes + c] += x[r * features + i] * weight[c * features + i];
  return out;
}

struct Settings {
  CrossEntropyOptions options = {};
  int64_t chunk_rows = 0;
};

OpCase make(const char* name, Input x, Input weight, Settings s = {},
            std::vector<Input> bench = {}) {
  return {
      .op = "linear_cross_entropy",
      .name = name,
      .inputs = {x, weight, {x.shape.without(-1), Fill::ids, weight.shape[0]}},
      .call =
          [s](std::span<const Tensor> in) {
            return std::vector{linear_cross_entropy(in[0], in[1], in[2], s.options, s.chunk_rows)};
          },
      .reference =
          [s](std::span<const Values> in) {
            return std::vector{reference_entropy(logits_of(in[0], in[1]), in[2], s.options)};
          },
      .bench = std::move(bench)};
}

const AddCases cases({
    make("one", {{1, 1}}, {{1, 1}}),
    make("one-row", {{5}}, {{3, 5}}),
    make("whole", {{6, 17}}, {{9, 17}}, {},
         {{{256, 768}}, {{50257, 768}}, {{256}, Fill::ids, 50257}}),
    make("chunks", {{7, 17}}, {{33, 17}}, {{}, 3}),
    make("chunks-of-one", {{2, 3, 5}}, {{7, 5}}, {{}, 1}),
    make("chunks-even", {{8, 4}}, {{6, 4}}, {{}, 4}),
    make("ignored-smoothed", {{10, 5}}, {{4, 5}}, {{.label_smoothing = 0.1, .ignored = 2}, 4}),
    make("sum", {{5, 6}}, {{8, 6}}, {{.reduction = Reduction::sum}, 2}),
    make("empty", {{0, 4}}, {{3, 4}}),
    make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed},
         {{5, 9}, Fill::normal, 0, Memory::transposed}),
    make("sliced", {{4, 9}, Fill::normal, 0, Memory::sliced},
         {{5, 9}, Fill::normal, 0, Memory::sliced}, {{}, 3}),
});

}  // namespace
}  // namespace jogak::test
