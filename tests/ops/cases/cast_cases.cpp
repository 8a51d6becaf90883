#include "ops/cast.h"

#include "tests/ops/case.h"

namespace jogak::test {
namespace {

// To double nothing is lost, so the numbers and the gradient are those of the input.
OpCase make(const char* name, Input input, std::vector<Input> bench = {}) {
  return {
      .op = "to_dtype",
      .name = name,
      .inputs = {input},
      .call = [](std::span<const Tensor> in) { return std::vector{to_dtype(in[0], DType::f64)}; },
      .reference = [](std::span<const Values> in) { return std::vector{in[0]}; },
      .bench = std::move(bench)};
}

const AddCases cases({
    make("scalar", {{}}),
    make("tails", {{3, 17}}, {{{1024, 1024}}}),
    make("empty", {{0}}),
    make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    make("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
    OpCase{.op = "to_dtype",
           .name = "to-integers",
           .inputs = {{{5}, Fill::spread}},
           .call = [](std::span<const Tensor> in) -> std::vector<Tensor> {
             return {to_dtype(in[0], DType::i64)};
           },
           .reference =
               [](std::span<const Values> in) {
                 Values y = in[0];
                 for (double& v : y.v) v = static_cast<double>(static_cast<int64_t>(v));
                 return std::vector{y};
               },
           .differentiable = false},
});

}  // namespace
}  // namespace jogak::test
