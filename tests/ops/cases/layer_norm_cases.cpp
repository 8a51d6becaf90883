#include "ops/layer_norm.h"

#include "tests/ops/cases/norm_reference.h"

namespace jogak::test {
namespace {

constexpr double kEps = 1e-5;

OpCase make(const char* name, Input x, std::vector<Input> bench = {}) {
  const Shape feature{x.shape.dim(-1)};
  return {.op = "layer_norm",
          .name = name,
          .inputs = {x, {feature, Fill::positive}, {feature}},
          .call =
              [](std::span<const Tensor> in) {
                return std::vector{layer_norm(in[0], in[1], in[2], kEps)};
              },
          .reference =
              [](std::span<const Values> in) {
                return std::vector{reference_norm(in[0], &in[1], &in[2], true, kEps)};
              },
          .bench = std::move(bench)};
}

OpCase plain(const char* name, Input x) {  // neither scale nor shift
  return {.op = "layer_norm",
          .name = name,
          .inputs = {x},
          .call =
              [](std::span<const Tensor> in) {
                return std::vector{layer_norm(in[0], Tensor(), Tensor(), kEps)};
              },
          .reference =
              [](std::span<const Values> in) {
                return std::vector{reference_norm(in[0], nullptr, nullptr, true, kEps)};
              }};
}

OpCase scale_only(const char* name, Input x, Memory weight_memory) {
  return {.op = "layer_norm",
          .name = name,
          .inputs = {x, {{x.shape.dim(-1)}, Fill::positive, 0, weight_memory}},
          .call =
              [](std::span<const Tensor> in) {
                return std::vector{layer_norm(in[0], in[1], Tensor(), kEps)};
              },
          .reference =
              [](std::span<const Values> in) {
                return std::vector{reference_norm(in[0], &in[1], nullptr, true, kEps)};
              }};
}

const AddCases cases({
    make("one", {{1}}),
    make("row", {{5}}, {{{4096, 768}}, {{768}}, {{768}}}),
    make("tails", {{3, 17}}),
    make("wide", {{2, 3, 67}}),
    make("many-rows", {{150, 64}}),
    make("empty-rows", {{0, 4}}),
    make("empty-features", {{3, 0}}),
    make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    make("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
    plain("plain", {{4, 21}}),
    scale_only("scale-only", {{4, 16}}, Memory::sliced),
});

}  // namespace
}  // namespace jogak::test
