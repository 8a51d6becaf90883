#include "autograd/autograd.h"
#include "tests/ops/cases/cross_entropy_reference.h"

namespace jogak::test {
namespace {

// Logits of their own memory, as a model's head makes them: free to be written over.
Tensor fresh(const Tensor& x) {
  return record("fresh", clone(x), {x}, [](const Tensor& dy) { return Grads{dy}; });
}

OpCase make(const char* name, Input logits, CrossEntropyOptions o, Memory target_memory,
            std::vector<Input> bench = {}) {
  const Input targets{logits.shape.without(-1), Fill::ids, logits.shape.dim(-1), target_memory};
  return {.op = "cross_entropy",
          .name = name,
          .inputs = {logits, targets},
          .call =
              [o](std::span<const Tensor> in) {
                return std::vector{cross_entropy(o.reuse_logits ? fresh(in[0]) : in[0], in[1], o)};
              },
          .reference =
              [o](std::span<const Values> in) {
                return std::vector{reference_entropy(in[0], in[1], o)};
              },
          .bench = std::move(bench)};
}

OpCase make(const char* name, Input logits, CrossEntropyOptions o = {}) {
  return make(name, logits, o, Memory::dense);
}

const AddCases cases({
    make("one-class", {{1, 1}}),
    make("one-row", {{5}}),
    make("tails", {{3, 17}}, {}, Memory::dense, {{{1024, 50257}}, {{1024}, Fill::ids, 50257}}),
    make("wide", {{2, 3, 67}}),
    make("blocks", {{2, 4100}}),
    make("blocks-smoothed", {{2, 4100}}, {.label_smoothing = 0.1}),
    make("many-rows", {{300, 3}}, {.ignored = 1}),
    make("empty", {{0, 4}}),
    make("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    make("sliced", {{2, 3, 8}, Fill::normal, 0, Memory::sliced}, {}, Memory::transposed),
    make("smoothed", {{6, 19}}, {.label_smoothing = 0.1}),
    make("smoothed-whole", {{6, 19}}, {.label_smoothing = 1}),
    make("ignored", {{40, 4}}, {.ignored = 2}),
    make("ignored-smoothed", {{40, 4}}, {.label_smoothing = 0.2, .ignored = 0}),
    make("all-ignored", {{5, 1}}, {.ignored = 0}),
    make("sum", {{7, 33}}, {.reduction = Reduction::sum}),
    make("none", {{2, 5, 6}}, {.ignored = 3, .reduction = Reduction::none}),
    make("none-smoothed", {{9, 18}}, {.label_smoothing = 0.3, .reduction = Reduction::none}),
    make("reuse", {{5, 21}}, {.reuse_logits = true}),
    make("reuse-smoothed", {{12, 4}}, {.label_smoothing = 0.1, .ignored = 1, .reuse_logits = true}),
});

}  // namespace
}  // namespace jogak::test
