#include "ops/add.h"

#include "ops/mul.h"
#include "tests/ops/reference.h"

namespace jogak::test {
namespace {

using Op = Tensor (*)(const Tensor&, const Tensor&);

std::vector<OpCase> pair_cases(const char* op, Op f, double (*reference)(double, double)) {
  const auto make = [&](const char* name, Input a, Input b, std::vector<Input> bench = {}) {
    return OpCase{.op = op,
                  .name = name,
                  .inputs = {a, b},
                  .call = [f](std::span<const Tensor> in) { return std::vector{f(in[0], in[1])}; },
                  .reference = pairwise(reference),
                  .bench = std::move(bench)};
  };
  constexpr auto kNormal = Fill::normal;
  return {
      make("scalars", {{}}, {{}}),
      make("same-shape", {{3, 17}}, {{3, 17}}, {{{1024, 1024}}, {{1024, 1024}}}),
      make("row", {{4, 19}}, {{19}}, {{{1024, 1024}}, {{1024}}}),
      make("row-first", {{19}}, {{4, 19}}),
      make("column", {{4, 19}}, {{4, 1}}, {{{1024, 1024}}, {{1024, 1}}}),
      make("scalar", {{5, 7}}, {{}}),
      make("one", {{1}}, {{2, 3}}),
      make("outer", {{5, 1}}, {{1, 6}}),
      make("middle", {{2, 3, 4}}, {{2, 1, 4}}),
      make("ends", {{1, 3, 1}}, {{2, 3, 5}}),
      make("both-in-turn", {{2, 1, 3, 1, 2}}, {{1, 4, 1, 3, 1}}),
      make("empty", {{0, 3}}, {{3}}),
      make("empty-by-one", {{1, 3}}, {{0, 3}}),
      make("wide-row", {{3, 300}}, {{300}}),
      make("many-rows", {{520, 3}}, {{3}}),  // two partial sums
      make("transposed", {{4, 9}, kNormal, 0, Memory::transposed}, {{9}}),
      make("sliced", {{3, 8}, kNormal, 0, Memory::sliced}, {{3, 1}, kNormal, 0, Memory::sliced}),
  };
}

OpCase scale_case(const char* name, Input input, std::vector<Input> bench = {}) {
  return {.op = "scale",
          .name = name,
          .inputs = {input},
          .call = [](std::span<const Tensor> in) { return std::vector{scale(in[0], -0.375)}; },
          .reference =
              [](std::span<const Values> in) {
                Values y = in[0];
                for (double& v : y.v) v *= -0.375;
                return std::vector{y};
              },
          .bench = std::move(bench)};
}

const AddCases adds(pair_cases("add", add, [](double a, double b) { return a + b; }));
const AddCases subs(pair_cases("sub", sub, [](double a, double b) { return a - b; }));
const AddCases muls(pair_cases("mul", mul, [](double a, double b) { return a * b; }));
const AddCases scales({
    scale_case("scalar", {{}}),
    scale_case("tails", {{3, 17}}, {{{1024, 1024}}}),
    scale_case("empty", {{2, 0}}),
    scale_case("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    scale_case("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
});

}  // namespace
}  // namespace jogak::test
