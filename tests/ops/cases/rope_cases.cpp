#include <cmath>

#include "ops/rope.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

struct Sizes {
  int64_t b, t, heads, width, rest, tables;  // rest: columns that do not rotate
  int64_t head = 0;                          // of a head; 0: it rotates whole
  int64_t apart() const { return head > 0 ? head : width; }
};

// Angles that differ for every pair and row, with a factor as YaRN has one. Made of tensors that
// need no copy from the host, as a model makes them.
constexpr double kFactor = 1.1;

Tensor frequencies_of(int64_t width, Device& device) {
  return cast(arange(1, width / 2 + 1, device), DType::f32);
}

Tensor table_of(const Tensor& x, int64_t width, int64_t tables) {
  const Tensor places = arange(0, tables * x.dim(1), x.device());
  const Shape shape{tables, x.dim(1)};
  return rope_table(places.view(shape, row_major(shape), 0), frequencies_of(width, x.device()),
                    kFactor);
}

Values plain(const Values& x, Sizes n) {
  Values y = x;
  const int64_t cols = n.heads * n.apart() + n.rest, half = n.width / 2;
  const Tensor table = table_of(zeros({n.b, n.t, cols}), n.width, n.tables);
  const auto angles = to_host<double>(table);
  for (int64_t r = 0; r < n.b * n.t; ++r)
    for (int64_t h = 0; h < n.heads; ++h)
      for (int64_t i = 0; i < half; ++i) {
        const auto at = static_cast<size_t>(r % (n.tables * n.t) * n.width + i);
        const double c = angles[at], s = angles[at + static_cast<size_t>(half)];
        const int64_t first = r * cols + h * n.apart() + i, second = first + half;
        y[first] = x[first] * c - x[second] * s;
        y[second] = x[second] * c + x[first] * s;
      }
  return y;
}

OpCase make(const char* name, Sizes n, Memory memory = Memory::dense,
            std::vector<Input> bench = {}) {
  return {
      .op = "rope",
      .name = name,
      .inputs = {{{n.b, n.t, n.heads * n.apart() + n.rest}, Fill::normal, 0, memory}},
      .call =
          [n](std::span<const Tensor> in) {
            return std::vector{rope(in[0], table_of(in[0], n.width, n.tables), n.heads, n.head)};
          },
      .reference = [n](std::span<const Values> in) { return std::vector{plain(in[0], n)}; },
      .bench = std::move(bench)};
}

// Positions up to a million; with rows > 0 every position has frequencies of its own.
OpCase table(const char* name, const Shape& positions, const Shape& frequencies,
             std::vector<Input> bench = {}) {
  return {
      .op = "rope_table",
      .name = name,
      .inputs = {{positions, Fill::ids, 1000000}, {frequencies, Fill::positive}},
      .call =
          [](std::span<const Tensor> in) { return std::vector{rope_table(in[0], in[1], kFactor)}; },
      .reference =
          [](std::span<const Values> in) {
            const int64_t half = in[1].shape.dim(-1);
            const bool own = in[1].shape.rank() > 1;
            Values y({in[0].shape.dim(0), in[0].shape.dim(1), 2 * half});
            for (int64_t r = 0; r < in[0].shape.count(); ++r)
              for (int64_t i = 0; i < half; ++i) {
                const auto f = static_cast<float>(in[1][(own ? r * half : 0) + i]);
                const double angle = static_cast<float>(in[0][r]) * f;
                y[r * 2 * half + i] = kFactor * std::cos(angle);
                y[r * 2 * half + half + i] = kFactor * std::sin(angle);
              }
            return std::vector{y};
          },
      .differentiable = false,
      .dtypes = {DType::f32},
      .bench = std::move(bench)};
}

const AddCases cases({
    make("one-pair", {1, 1, 1, 2, 0, 1}),
    make("queries-and-keys", {2, 3, 3, 8, 8, 1}),
    make("a-table-a-batch", {3, 2, 2, 6, 3, 3}),
    make("odd-halves", {2, 5, 2, 10, 5, 1}),
    make("vectors-and-tails", {1, 3, 2, 70, 1, 1}),
    make("real-heads", {1, 2, 3, 64, 64, 1}, Memory::dense, {{{4, 256, 256}}}),
    make("many-rows", {2, 70, 6, 16, 16, 1}),
    make("parts-of-heads", {2, 3, 3, 4, 5, 1, 10}),
    make("parts-of-sliced-heads", {2, 3, 2, 6, 2, 2, 8}, Memory::sliced),
    make("nothing-rotates", {1, 2, 0, 4, 5, 1}),
    make("no-rows", {2, 0, 2, 4, 4, 1}),
    make("sliced", {2, 3, 2, 4, 2, 1}, Memory::sliced),
    make("transposed", {2, 3, 2, 4, 2, 2}, Memory::transposed),
    table("one", {1, 1}, {1}),
    table("rows", {1, 70}, {5}, {{{1, 1024}, Fill::ids, 1000000}, {{32}, Fill::positive}}),
    table("batches", {3, 7}, {4}),
    table("own-frequencies", {1, 6}, {6, 4}),
    table("no-rows", {2, 0}, {4}),
});

}  // namespace
}  // namespace jogak::test
