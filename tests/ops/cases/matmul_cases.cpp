#include "ops/matmul.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

std::vector<Values> reference(std::span<const Values> in) {
  const Values &a = in[0], &b = in[1];
  const int64_t m = a.shape.dim(-2), k = a.shape.dim(-1), n = b.shape.dim(-1);
  Values c(a.shape.with(-1, n));
  const int64_t count = m * n > 0 ? c.shape.count() / (m * n) : 0;
  for (int64_t s = 0; s < count; ++s)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t p = 0; p < k; ++p)
          c[(s * m + i) * n + j] +=
              a[(s * m + i) * k + p] * b[(b.shape.rank() > 2 ? s * k * n : 0) + p * n + j];
  return {c};
}

OpCase make(const char* name, Input a, Input b, std::vector<Input> bench = {}) {
  return {.op = "matmul",
          .name = name,
          .inputs = {a, b},
          .call = [](std::span<const Tensor> in) { return std::vector{matmul(in[0], in[1])}; },
          .reference = reference,
          .slack = 2,
          .bench = std::move(bench)};
}

const AddCases cases({
    make("one", {{1, 1}}, {{1, 1}}),
    make("plain", {{3, 5}}, {{5, 7}}, {{{384, 64, 64}}, {{384, 64, 64}}}),
    make("batch", {{2, 3, 4, 5}}, {{2, 3, 5, 33}}),
    make("shared-b", {{3, 4, 5}}, {{5, 6}}),
    make("transposed-b", {{2, 4, 5}}, {{2, 5, 6}, Fill::normal, 0, Memory::transposed}),
    make("transposed-a", {{2, 4, 5}, Fill::normal, 0, Memory::transposed}, {{2, 5, 6}}),
    make("sliced", {{2, 4, 5}, Fill::normal, 0, Memory::sliced}, {{2, 5, 6}}),
    make("empty-inner", {{2, 0}}, {{0, 3}}),
    make("empty-batch", {{0, 2, 3}}, {{0, 3, 2}}),
});

}  // namespace
}  // namespace jogak::test
