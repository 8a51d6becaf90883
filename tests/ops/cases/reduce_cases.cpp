#include "ops/reduce.h"

#include <optional>

#include "tests/ops/case.h"

namespace jogak::test {
namespace {

struct Along {
  std::optional<int> axis = {};  // none: everything
  bool keep = false;
};

Values reference(const Values& x, Along along, bool average) {
  int64_t outer = 1, n = x.shape.count(), inner = 1;
  Shape shape{};
  if (along.axis) {
    const int axis = static_cast<int>(x.shape.index(*along.axis));
    n = x.shape[axis];
    for (int i = 0; i < axis; ++i) outer *= x.shape[i];
    for (int i = axis + 1; i < x.shape.rank(); ++i) inner *= x.shape[i];
    shape = along.keep ? x.shape.with(axis, 1) : x.shape.without(axis);
  }
  Values y(shape);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < inner; ++i)
        y[o * inner + i] += x[(o * n + j) * inner + i] / (average ? static_cast<double>(n) : 1);
  return y;
}

OpCase make(bool average, const char* name, Input x, Along along, std::vector<Input> bench = {}) {
  return {.op = average ? "mean" : "sum",
          .name = name,
          .inputs = {x},
          .call =
              [average, along](std::span<const Tensor> in) {
                if (!along.axis) return std::vector{average ? mean(in[0]) : sum(in[0])};
                return std::vector{average ? mean(in[0], *along.axis, along.keep)
                                           : sum(in[0], *along.axis, along.keep)};
              },
          .reference =
              [average, along](std::span<const Values> in) {
                return std::vector{reference(in[0], along, average)};
              },
          .bench = std::move(bench)};
}

std::vector<OpCase> both(bool average) {
  const Input transposed{{4, 9}, Fill::normal, 0, Memory::transposed};
  const Input sliced{{3, 8}, Fill::normal, 0, Memory::sliced};
  return {
      make(average, "scalar", {{}}, {}),
      make(average, "one", {{1}}, {}),
      make(average, "all", {{3, 17}}, {}, {{{4096, 1024}}}),
      make(average, "all-transposed", transposed, {}),
      make(average, "all-pieces", {{2, 10000}}, {}),
      make(average, "last", {{2, 3, 67}}, {-1}),
      make(average, "last-kept", {{5, 16}}, {1, true}),
      make(average, "last-pieces", {{3, 8200}}, {1}),
      make(average, "last-sliced", sliced, {1}),
      make(average, "first", {{7, 18}}, {0}, {{{4096, 1024}}}),
      make(average, "first-kept", {{6, 5}}, {-2, true}),
      make(average, "first-pieces", {{1100, 9}}, {0}),
      make(average, "first-transposed", transposed, {0}),
      make(average, "middle", {{3, 5, 33}}, {1}),
      make(average, "middle-of-one", {{3, 1, 4}}, {1}),
      make(average, "no-outputs", {{0, 4}}, {1}),
  };
}

const AddCases sums(both(false));
const AddCases means(both(true));
const AddCases empties({
    make(false, "of-nothing", {{0, 4}}, {0}),
    make(false, "of-nothing-at-all", {{0}}, {}),
    make(false, "of-nothing-along-rows", {{4, 0}}, {1}),
});

}  // namespace
}  // namespace jogak::test
