#include "ops/dropout.h"

#include "tests/ops/case.h"

namespace jogak::test {
namespace {

constexpr uint64_t kSeed = 0x0123456789ABCDEF, kStream = 0xFEDCBA9876543210;

OpCase make(const char* name, double rate, Input input, std::vector<Input> bench = {}) {
  return {.op = "dropout",
          .name = name,
          .inputs = {input},
          .call =
              [rate](std::span<const Tensor> in) {
                return std::vector{dropout(in[0], rate, kSeed, kStream)};
              },
          .reference =
              [rate](std::span<const Values> in) {
                Values y = in[0];
                for (int64_t i = 0; i < y.shape.count(); ++i) {
                  const auto at = static_cast<uint64_t>(i);
                  const double random = philox(kSeed, kStream, at / 4)[at % 4] * 0x1p-32;
                  y[i] = random >= rate ? y[i] / (1 - rate) : 0;
                }
                return std::vector{y};
              },
          .bench = std::move(bench)};
}

constexpr auto kNormal = Fill::normal;

const AddCases cases({
    make("rate-0", 0, {{3, 5}}),
    make("scalar", 0.5, {{}}),
    make("tails", 0.1, {{3, 5}}, {{{1024, 1024}}}),
    make("around-a-vector", 0.3, {{67}}),
    make("many-blocks", 0.2, {{519}}),
    make("pieces", 0.9, {{8195}}),
    make("empty", 0.5, {{2, 0}}),
    make("transposed", 0.4, {{4, 9}, kNormal, 0, Memory::transposed}),
    make("sliced", 0.4, {{3, 8}, kNormal, 0, Memory::sliced}),
});

}  // namespace
}  // namespace jogak::test
