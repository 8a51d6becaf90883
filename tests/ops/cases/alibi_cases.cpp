#include <cmath>

#include "ops/alibi.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

double in_bf16(double x) { return static_cast<float>(BFloat16(static_cast<float>(x))); }

struct Sizes {
  int64_t heads, length, batches;  // without batches: no mask
};

OpCase make(const char* name, Sizes n, bool rounded = false, std::vector<Input> bench = {}) {
  std::vector<Input> inputs = {{{n.heads}, Fill::positive}};
  if (n.batches > 0) inputs.push_back({{n.batches, n.length}, Fill::flags});
  return {.op = "alibi",
          .name = name,
          .inputs = std::move(inputs),
          .call =
              [=](std::span<const Tensor> in) {
                AlibiOptions o{.divisor = 3, .in_bf16 = rounded};
                if (n.batches > 0) o.key_mask = in[1];
                return std::vector{alibi(in[0], n.length, o)};
              },
          .reference =
              [=](std::span<const Values> in) {
                Values out({std::max<int64_t>(n.batches, 1), n.heads, n.length});
                for (int64_t b = 0; b < out.shape.dim(0); ++b)
                  for (int64_t h = 0; h < n.heads; ++h)
                    for (int64_t t = 0, real = 0; t < n.length; ++t) {
                      const bool counts = n.batches == 0 || in[1][b * n.length + t] != 0;
                      const auto place = static_cast<double>(counts ? real++ : 0);
                      const double slope = in[0][h];
                      out[(b * n.heads + h) * n.length + t] =
                          (rounded ? in_bf16(in_bf16(slope) * in_bf16(place)) : slope * place) / 3;
                    }
                return std::vector{out};
              },
          .differentiable = false,
          .dtypes = {DType::f32},
          .bench = std::move(bench)};
}

const AddCases cases({
    make("one", {1, 1, 0}),
    make("lines", {3, 70, 0}, false, {{{32}, Fill::positive}}),
    make("rounded", {5, 600, 0}, true),
    make("masked", {3, 9, 4}),
    make("masked-and-rounded", {2, 300, 2}, true),
    make("no-keys", {2, 0, 3}),
});

}  // namespace
}  // namespace jogak::test
