#include "ops/add_norm.h"

#include "tests/ops/cases/norm_reference.h"

namespace jogak::test {
namespace {

constexpr double kEps = 1e-5;

std::vector<Values> reference(std::span<const Values> in, const Values* bias, bool centered) {
  Values sum(in[0].shape);
  for (size_t i = 0; i < sum.v.size(); ++i) sum.v[i] = in[0].v[i] + in[1].v[i];
  return {sum, reference_norm(sum, &in[2], bias, centered, kEps)};
}

std::vector<Tensor> both(std::pair<Tensor, Tensor> results) {
  return {results.first, results.second};
}

OpCase layer(const char* name, Input x, std::vector<Input> bench = {}) {
  const Shape feature{x.shape.dim(-1)};
  return {.op = "add_layer_norm",
          .name = name,
          .inputs = {x, {x.shape}, {feature, Fill::positive}, {feature}},
          .call =
              [](std::span<const Tensor> in) {
                return both(add_layer_norm(in[0], in[1], in[2], in[3], kEps));
              },
          .reference = [](std::span<const Values> in) { return reference(in, &in[3], true); },
          .bench = std::move(bench)};
}

OpCase rms(const char* name, Input x, std::vector<Input> bench = {}) {
  return {
      .op = "add_rms_norm",
      .name = name,
      .inputs = {x, {x.shape, Fill::normal, 0, x.memory}, {{x.shape.dim(-1)}, Fill::positive}},
      .call =
          [](std::span<const Tensor> in) { return both(add_rms_norm(in[0], in[1], in[2], kEps)); },
      .reference = [](std::span<const Values> in) { return reference(in, nullptr, false); },
      .bench = std::move(bench)};
}

// Without a residual: x itself beside its norm.
OpCase layer_kept(const char* name, Input x) {
  const Shape feature{x.shape.dim(-1)};
  return {.op = "add_layer_norm",
          .name = name,
          .inputs = {x, {feature, Fill::positive}, {feature}},
          .call =
              [](std::span<const Tensor> in) {
                return both(add_layer_norm(in[0], Tensor(), in[1], in[2], kEps));
              },
          .reference =
              [](std::span<const Values> in) {
                return std::vector{in[0], reference_norm(in[0], &in[1], &in[2], true, kEps)};
              }};
}

OpCase rms_kept(const char* name, Input x) {
  return {.op = "add_rms_norm",
          .name = name,
          .inputs = {x, {{x.shape.dim(-1)}, Fill::positive}},
          .call =
              [](std::span<const Tensor> in) {
                return both(add_rms_norm(in[0], Tensor(), in[1], kEps));
              },
          .reference =
              [](std::span<const Values> in) {
                return std::vector{in[0], reference_norm(in[0], &in[1], nullptr, false, kEps)};
              }};
}

const AddCases cases({
    layer("one", {{1}}),
    layer("row", {{5}}, {{{4096, 768}}, {{4096, 768}}, {{768}}, {{768}}}),
    layer("tails", {{3, 17}}),
    layer("wide", {{2, 3, 67}}),
    layer("many-rows", {{150, 64}}),
    layer("empty-rows", {{0, 4}}),
    layer("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    layer("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
    layer_kept("kept", {{3, 17}}),
    layer_kept("kept-transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    rms_kept("kept", {{3, 17}}),
    rms_kept("kept-empty", {{0, 4}}),
    rms("one", {{1}}),
    rms("row", {{5}}, {{{4096, 768}}, {{4096, 768}}, {{768}}}),
    rms("tails", {{3, 17}}),
    rms("wide", {{2, 3, 67}}),
    rms("many-rows", {{150, 64}}),
    rms("empty-rows", {{0, 4}}),
    rms("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    rms("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
});

}  // namespace
}  // namespace jogak::test
