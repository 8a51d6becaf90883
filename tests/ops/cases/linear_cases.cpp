#include <cmath>

#include "ops/linear.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

double act(double x, Activation kind) {
  switch (kind) {
    case Activation::relu: return std::max(x, 0.0);
    case Activation::gelu: return 0.5 * x * (1 + std::erf(x * M_SQRT1_2));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::tanh: return std::tanh(x);
    default: return x;
  }
}

Reference reference(Activation kind) {
  return [kind](std::span<const Values> in) {
    const Values &x = in[0], &w = in[1];
    const int64_t depth = w.shape[1], out = w.shape[0], rows = x.shape.without(-1).count();
    Values y(x.shape.with(-1, out));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t o = 0; o < out; ++o) {
        double sum = in.size() > 2 ? in[2][o] : 0;
        for (int64_t i = 0; i < depth; ++i) sum += x[r * depth + i] * w[o * depth + i];
        y[r * out + o] = act(sum, kind);
      }
    return std::vector{y};
  };
}

OpCase make(const char* name, std::vector<Input> inputs, Activation kind = Activation::none,
            std::vector<Input> bench = {}) {
  return {.op = "linear",
          .name = name,
          .inputs = std::move(inputs),
          .call =
              [kind](std::span<const Tensor> in) {
                return std::vector{linear(in[0], in[1], in.size() > 2 ? in[2] : Tensor(), kind)};
              },
          .reference = reference(kind),
          .slack = 2,
          .bench = std::move(bench)};
}

// Numbers that stay within a cap.
OpCase capped(const char* name, std::vector<Input> inputs) {
  constexpr double kCap = 3;
  OpCase out = make(name, std::move(inputs), Activation::tanh);
  out.call = [](std::span<const Tensor> in) {
    return std::vector{linear(in[0], in[1], in[2], Activation::tanh, kCap)};
  };
  out.reference = [](std::span<const Values> in) {
    std::vector<Values> y = reference(Activation::tanh)(in);
    for (double& v : y[0].v) v *= kCap;
    return y;
  };
  return out;
}

// What is added to comes first, then what linear takes.
OpCase onto(const char* name, std::vector<Input> inputs, std::vector<Input> bench = {}) {
  return {
      .op = "linear_onto",
      .name = name,
      .inputs = std::move(inputs),
      .call =
          [](std::span<const Tensor> in) {
            return std::vector{linear_onto(in[0], in[1], in[2], in.size() > 3 ? in[3] : Tensor())};
          },
      .reference =
          [](std::span<const Values> in) {
            std::vector<Values> y = reference(Activation::none)(in.subspan(1));
            for (size_t i = 0; i < y[0].v.size(); ++i) y[0].v[i] += in[0].v[i];
            return y;
          },
      .slack = 3,
      .bench = std::move(bench)};
}

const AddCases cases({
    make("one", {{{1, 1}}, {{1, 1}}}),
    make("plain", {{{3, 5}}, {{4, 5}}, {{4}}}, Activation::none,
         {{{256, 768}}, {{3072, 768}}, {{3072}}}),
    make("no-bias", {{{2, 3, 17}}, {{9, 17}}}),
    make("long", {{{2, 515}}, {{3, 515}}, {{3}}}),
    make("relu", {{{5, 7}}, {{67, 7}}, {{67}}}, Activation::relu),
    make("gelu", {{{4, 6}}, {{5, 6}}, {{5}}}, Activation::gelu),
    make("gelu-tanh", {{{4, 6}}, {{35, 6}}, {{35}}}, Activation::gelu_tanh),
    make("silu", {{{4, 6}}, {{5, 6}}, {{5}}}, Activation::silu),
    make("tanh", {{{4, 6}}, {{5, 6}}, {{5}}}, Activation::tanh),
    // As many rows as meet the kernel that finishes C piece by piece.
    make("many", {{{70, 16}}, {{67, 16}}, {{67}}}, Activation::none),
    make("many-gelu", {{{70, 16}}, {{67, 16}}, {{67}}}, Activation::gelu),
    capped("capped", {{{4, 6}}, {{5, 6}}, {{5}}}),
    capped("many-capped", {{{70, 16}}, {{53, 16}}, {{53}}}),
    onto("one", {{{1, 1}}, {{1, 1}}, {{1, 1}}}),
    onto("plain", {{{3, 4}}, {{3, 5}}, {{4, 5}}, {{4}}},
         {{{256, 768}}, {{256, 3072}}, {{768, 3072}}, {{768}}}),
    onto("no-bias", {{{2, 3, 9}}, {{2, 3, 17}}, {{9, 17}}}),
    onto("few", {{{9, 24}}, {{9, 16}}, {{24, 16}}, {{24}}}),
    onto("many", {{{70, 16}}, {{70, 32}}, {{16, 32}}, {{16}}}),
    onto("no-rows", {{{0, 5}}, {{0, 6}}, {{5, 6}}, {{5}}}),
    onto("no-inputs", {{{3, 5}}, {{3, 0}}, {{5, 0}}, {{5}}}),
    onto("transposed", {{{6, 5}, Fill::normal, 0, Memory::transposed}, {{6, 7}}, {{5, 7}}, {{5}}}),
    make("no-inputs", {{{3, 0}}, {{5, 0}}, {{5}}}),
    make("no-rows", {{{0, 6}}, {{5, 6}}, {{5}}}),
    make("transposed-x", {{{6, 7}, Fill::normal, 0, Memory::transposed}, {{5, 7}}, {{5}}}),
    make("transposed-weight", {{{6, 7}}, {{5, 7}, Fill::normal, 0, Memory::transposed}, {{5}}}),
});

}  // namespace
}  // namespace jogak::test
