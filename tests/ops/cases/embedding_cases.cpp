#include "ops/embedding.h"

#include "tests/ops/case.h"

namespace jogak::test {
namespace {

std::vector<Values> reference(std::span<const Values> in) {
  const Values &weight = in[0], &ids = in[1];
  const int64_t C = weight.shape[1];
  Values y(ids.shape.plus(C));
  for (int64_t i = 0; i < ids.shape.count(); ++i)
    for (int64_t c = 0; c < C; ++c) y[i * C + c] = weight[static_cast<int64_t>(ids[i]) * C + c];
  return {y};
}

OpCase make(const char* name, Input weight, Input ids, std::vector<Input> bench = {}) {
  ids.fill = Fill::ids;
  ids.high = weight.shape[0];
  return {.op = "embedding",
          .name = name,
          .inputs = {weight, ids},
          .call = [](std::span<const Tensor> in) { return std::vector{embedding(in[0], in[1])}; },
          .reference = reference,
          .bench = std::move(bench)};
}

constexpr auto kNormal = Fill::normal;

const AddCases cases({
    make("one", {{1, 1}}, {{1}}),
    make("single-id", {{5, 3}}, {{}}),
    make("batch", {{7, 17}}, {{2, 5}}, {{{50257, 768}}, {{4, 256}, Fill::ids, 50257}}),
    make("often-repeated", {{2, 131}}, {{40}}),
    make("large-table", {{2100, 2}}, {{3, 9}}),
    make("no-ids", {{4, 3}}, {{2, 0}}),
    make("no-columns", {{4, 0}}, {{3}}),
    make("transposed", {{6, 5}, kNormal, 0, Memory::transposed},
         {{3, 4}, Fill::ids, 0, Memory::transposed}),
    make("sliced", {{6, 8}, kNormal, 0, Memory::sliced}, {{5}, Fill::ids, 0, Memory::sliced}),
});

}  // namespace
}  // namespace jogak::test
