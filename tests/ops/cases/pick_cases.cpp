#include <algorithm>
#include <numeric>

#include "ops/pick.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

// Values and ids of the k largest, by sorting the whole row.
std::vector<Values> largest(const Values& x, int64_t k) {
  const int64_t n = x.shape.dim(-1), rows = n ? x.shape.count() / n : 0;
  Values values(x.shape.with(-1, k)), ids(x.shape.with(-1, k));
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t r = 0; r < rows; ++r) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return x[r * n + a] > x[r * n + b]; });
    for (int64_t i = 0; i < k; ++i) {
      ids[r * k + i] = static_cast<double>(order[static_cast<size_t>(i)]);
      values[r * k + i] = x[r * n + order[static_cast<size_t>(i)]];
    }
  }
  return {values, ids};
}

OpCase pick_one(const char* name, Input x, std::vector<Input> bench = {}) {
  return {.op = "argmax",
          .name = name,
          .inputs = {x},
          .call = [](std::span<const Tensor> in) { return std::vector{argmax(in[0])}; },
          .reference =
              [](std::span<const Values> in) {
                Values ids = largest(in[0], 1)[1];
                ids.shape = ids.shape.without(-1);
                return std::vector{ids};
              },
          .differentiable = false,
          .bench = std::move(bench)};
}

// Where the largest is no number: pick_test.cpp.
OpCase pick_finite(const char* name, Input x, std::vector<Input> bench = {}) {
  OpCase c = pick_one(name, x, std::move(bench));
  c.op = "argmax_finite";
  c.call = [](std::span<const Tensor> in) { return std::vector{argmax_finite(in[0])}; };
  return c;
}

OpCase pick(const char* name, int64_t k, Input x, std::vector<Input> bench = {}) {
  return {.op = "top_k",
          .name = name,
          .inputs = {x},
          .call =
              [k](std::span<const Tensor> in) {
                const auto [values, ids] = top_k(in[0], k);
                return std::vector{values, ids};
              },
          .reference = [k](std::span<const Values> in) { return largest(in[0], k); },
          .bench = std::move(bench)};
}

const AddCases cases({
    pick_one("one", {{1}}),
    pick_one("row", {{5}}, {{{256, 50257}}}),
    pick_one("tails", {{3, 17}}),
    pick_one("wide", {{2, 3, 67}}),
    pick_one("empty-rows", {{0, 4}}),
    pick_one("transposed", {{4, 9}, Fill::normal, 0, Memory::transposed}),
    pick_one("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
    pick_one("long", {{3, 70000}}),
    pick_finite("one", {{1}}),
    pick_finite("tails", {{3, 17}}),
    pick_finite("long", {{2, 5000}}, {{{32, 50257}}}),
    pick_finite("empty-rows", {{0, 4}}),
    pick_finite("sliced", {{3, 8}, Fill::normal, 0, Memory::sliced}),
    pick("one", 1, {{1}, Fill::spread}),
    pick("row", 3, {{5}, Fill::spread}, {{{256, 50257}}}),
    pick("none", 0, {{3, 4}, Fill::spread}),
    pick("all", 17, {{3, 17}, Fill::spread}),
    pick("wide", 5, {{2, 3, 67}, Fill::spread}),
    pick("long", 40, {{2, 1000}, Fill::spread}),
    pick("empty-rows", 2, {{0, 4}, Fill::spread}),
    pick("transposed", 2, {{4, 9}, Fill::spread, 0, Memory::transposed}),
    pick("sliced", 4, {{3, 8}, Fill::spread, 0, Memory::sliced}),
});

}  // namespace
}  // namespace jogak::test
