#include "ops/rms_norm.h"

#include "tests/ops/cases/norm_reference.h"

namespace jogak::test {
namespace {

constexpr double kEps = 1e-6;

OpCase make(const char* name, Input x, std::vector<Input> bench = {}) {
  return {
      .op = "rms_norm",
      .name = name,
      .inputs = {x, {{x.shape.dim(-1)}, Fill::positive}},
      .call = [](std::span<const Tensor> in) { return std::vector{rms_norm(in[0], in[1], kEps)}; },
      .reference =
          [](std::span<const Values> in) {
            return std::vector{reference_norm(in[0], &in[1], nullptr, false, kEps)};
          },
      .bench = std::move(bench)};
}

OpCase plain(const char* name, Input x) {
  return {
      .op = "rms_norm",
      .name = name,
      .inputs = {x},
      .call =
          [](std::span<const Tensor> in) { return std::vector{rms_norm(in[0], Tensor(), kEps)}; },
      .reference =
          [](std::span<const Values> in) {
            return std::vector{reference_norm(in[0], nullptr, nullptr, false, kEps)};
          }};
}

const AddCases cases({
    make("one", {{1}}),
    make("row", {{5}}, {{{4096, 768}}, {{768}}}),
    make("tails", {{3, 17}}),
    make("wide", {{2, 3, 67}}),
    make("many-rows", {{150, 64}}),
    make("empty-rows", {{0, 4}}),
    make("empty-features", {{3, 0}}),
    make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    make("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
    plain("plain", {{4, 21}}),
});

}  // namespace
}  // namespace jogak::test
