// Ops that only move elements: reshape, contiguous, transpose, permute, slice, split, unfold,
// concat.
#include "ops/concat.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/transpose.h"
#include "ops/unfold.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

// out[place] = x[from(place)], both places as lists of coordinates.
template <class From>
Values moved(const Values& x, const Shape& shape, From from) {
  Values out(shape);
  const Strides steps = row_major(x.shape);
  for (int64_t i = 0; i < shape.count(); ++i) {
    std::vector<int64_t> place(static_cast<size_t>(shape.rank()));
    int64_t rest = i, at = 0;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      place[static_cast<size_t>(axis)] = rest % shape[axis];
      rest /= shape[axis];
    }
    from(place);
    for (int axis = 0; axis < x.shape.rank(); ++axis)
      at += place[static_cast<size_t>(axis)] * steps[axis];
    out[i] = x[at];
  }
  return out;
}

Input transposed(const Shape& shape) { return {shape, Fill::normal, 0, Memory::transposed}; }
Input sliced(const Shape& shape) { return {shape, Fill::normal, 0, Memory::sliced}; }

OpCase reshape_case(const char* name, Input input, Shape wanted, Shape result) {
  return {.op = "reshape",
          .name = name,
          .inputs = {input},
          .call = [=](std::span<const Tensor> in) { return std::vector{reshape(in[0], wanted)}; },
          .reference =
              [=](std::span<const Values> in) {
                Values y(result);
                y.v = in[0].v;
                return std::vector{y};
              }};
}

OpCase contiguous_case(const char* name, Input input, std::vector<Input> bench = {}) {
  return {.op = "contiguous",
          .name = name,
          .inputs = {input},
          .call = [](std::span<const Tensor> in) { return std::vector{contiguous(in[0])}; },
          .reference = [](std::span<const Values> in) { return std::vector{in[0]}; },
          .bench = std::move(bench)};
}

OpCase transpose_case(const char* name, Input input, int a, int b) {
  return {.op = "transpose",
          .name = name,
          .inputs = {input},
          .call = [=](std::span<const Tensor> in) { return std::vector{transpose(in[0], a, b)}; },
          .reference =
              [=](std::span<const Values> in) {
                Shape shape = in[0].shape;
                const size_t i = shape.index(a), j = shape.index(b);
                std::swap(shape[static_cast<int>(i)], shape[static_cast<int>(j)]);
                return std::vector{
                    moved(in[0], shape, [=](auto& place) { std::swap(place[i], place[j]); })};
              }};
}

OpCase permute_case(const char* name, Input input, std::vector<int> axes) {
  return {.op = "permute",
          .name = name,
          .inputs = {input},
          .call = [=](std::span<const Tensor> in) { return std::vector{permute(in[0], axes)}; },
          .reference =
              [=](std::span<const Values> in) {
                Shape shape = in[0].shape;
                for (size_t i = 0; i < axes.size(); ++i)
                  shape[static_cast<int>(i)] = in[0].shape.dim(axes[i]);
                return std::vector{moved(in[0], shape, [&](auto& place) {
                  const auto old = place;
                  for (size_t i = 0; i < axes.size(); ++i)
                    place[in[0].shape.index(axes[i])] = old[i];
                })};
              }};
}

Values part(const Values& x, int axis, int64_t begin, int64_t end) {
  return moved(x, x.shape.with(axis, end - begin),
               [&](auto& place) { place[x.shape.index(axis)] += begin; });
}

OpCase slice_case(const char* name, Input input, int axis, int64_t begin, int64_t end,
                  std::vector<Input> bench = {}) {
  return {
      .op = "slice",
      .name = name,
      .inputs = {input},
      .call = [=](std::span<const Tensor> in) -> std::vector<Tensor> {
        return {slice(in[0], axis, begin, end)};
      },
      .reference =
          [=](std::span<const Values> in) { return std::vector{part(in[0], axis, begin, end)}; },
      .bench = std::move(bench)};
}

OpCase split_case(const char* name, Input input, int axis, std::vector<int64_t> sizes) {
  return {.op = "split",
          .name = name,
          .inputs = {input},
          .call = [=](std::span<const Tensor> in) { return split(in[0], axis, sizes); },
          .reference =
              [=](std::span<const Values> in) {
                std::vector<Values> out;
                int64_t at = 0;
                for (const int64_t size : sizes) {
                  out.push_back(part(in[0], axis, at, at + size));
                  at += size;
                }
                return out;
              }};
}

OpCase unfold_case(const char* name, Input input, int axis, int64_t size, int64_t step,
                   std::vector<Input> bench = {}) {
  return {
      .op = "unfold",
      .name = name,
      .inputs = {input},
      .call =
          [=](std::span<const Tensor> in) { return std::vector{unfold(in[0], axis, size, step)}; },
      .reference =
          [=](std::span<const Values> in) {
            const Shape& from = in[0].shape;
            const size_t at = from.index(axis);
            const int64_t count = (from.dim(axis) - size) / step + 1;
            return std::vector{moved(in[0], from.with(axis, count).plus(size), [&](auto& place) {
              place[at] = place[at] * step + place.back();
            })};
          },
      .bench = std::move(bench)};
}

OpCase concat_case(const char* name, std::vector<Input> inputs, int axis,
                   std::vector<Input> bench = {}) {
  return {.op = "concat",
          .name = name,
          .inputs = inputs,
          .call = [=](std::span<const Tensor> in) { return std::vector{concat(in, axis)}; },
          .reference =
              [=](std::span<const Values> in) {
                int64_t total = 0, outer = 1, inner = 1;
                const Shape& first = in[0].shape;
                const int at = static_cast<int>(first.index(axis));
                for (const Values& x : in) total += x.shape.dim(axis);
                for (int i = 0; i < at; ++i) outer *= first[i];
                for (int i = at + 1; i < first.rank(); ++i) inner *= first[i];
                Values y(first.with(axis, total));
                y.v.clear();
                for (int64_t o = 0; o < outer; ++o)
                  for (const Values& x : in) {
                    const int64_t run = x.shape.dim(axis) * inner;
                    y.v.insert(y.v.end(), x.v.begin() + o * run, x.v.begin() + (o + 1) * run);
                  }
                return std::vector{y};
              },
          .bench = std::move(bench)};
}

const AddCases cases({
    reshape_case("to-scalar", {{1, 1}}, {}, {}),
    reshape_case("split-an-axis", {{2, 6}}, {2, 3, 2}, {2, 3, 2}),
    reshape_case("open-size", {{2, 3, 4}}, {-1, 6}, {4, 6}),
    reshape_case("empty", {{0, 3}}, {3, -1}, {3, 0}),
    reshape_case("transposed", transposed({3, 4}), {12}, {12}),
    reshape_case("sliced", sliced({3, 4}), {2, -1}, {2, 6}),

    contiguous_case("dense", {{2, 3}}),
    contiguous_case("transposed", transposed({17, 5}), {transposed({1024, 1024})}),
    contiguous_case("sliced", sliced({3, 8})),
    contiguous_case("empty", transposed({0, 3})),

    transpose_case("matrix", {{3, 5}}, 0, 1),
    transpose_case("heads", {{2, 3, 4, 5}}, 1, 2),
    transpose_case("negative-axes", {{2, 3, 4}}, -1, 0),
    transpose_case("same-axis", {{2, 3}}, 1, 1),
    transpose_case("empty", {{0, 3}}, 0, 1),
    transpose_case("back-again", transposed({3, 4}), 0, 1),

    permute_case("rotate-axes", {{2, 3, 4}}, {2, 0, 1}),
    permute_case("negative-axes", {{2, 3, 4, 1}}, {-1, 2, 0, 1}),
    permute_case("scalar", {{}}, {}),
    permute_case("sliced", sliced({2, 3, 4}), {1, 2, 0}),

    slice_case("rows", {{5, 3}}, 0, 1, 4),
    slice_case("columns", {{3, 17}}, -1, 5, 16, {{{1024, 1024}}}),
    slice_case("middle", {{2, 5, 3}}, 1, 4, 5),
    slice_case("nothing", {{4, 3}}, 0, 2, 2),
    slice_case("everything", {{4, 3}}, 1, 0, 3),
    slice_case("transposed", transposed({4, 6}), 1, 1, 3),
    slice_case("sliced", sliced({4, 6}), 1, 1, 3),

    split_case("thirds", {{2, 3, 6}}, -1, {2, 2, 2}),
    split_case("unequal", {{5, 3}}, 0, {1, 0, 4}),
    split_case("whole", {{4}}, 0, {4}),
    split_case("transposed", transposed({4, 6}), 1, {5, 1}),

    unfold_case("one", {{4}}, 0, 4, 1),
    unfold_case("apart", {{3, 17}}, -1, 4, 5),
    unfold_case("touching", {{2, 9, 3}}, 1, 3, 3),
    unfold_case("overlapping", {{2, 3, 23}}, 2, 6, 2, {{{128, 7, 336}}}),
    unfold_case("overlapping-unevenly", {{19, 2}}, 0, 7, 3),
    unfold_case("every-element", {{3, 6}}, 1, 3, 1),
    unfold_case("none-there", {{0, 6}}, 1, 3, 2),
    unfold_case("transposed", transposed({4, 9}), 1, 3, 2),
    unfold_case("sliced", sliced({4, 9}), 0, 2, 1),

    concat_case("one", {{{3}}}, 0),
    concat_case("rows", {{{2, 3}}, {{1, 3}}}, 0),
    concat_case("columns", {{{2, 17}}, {{2, 1}}, {{2, 4}}}, -1, {{{1024, 512}}, {{1024, 512}}}),
    concat_case("middle", {{{2, 1, 3}}, {{2, 2, 3}}}, 1),
    concat_case("empty-part", {{{2, 0}}, {{2, 3}}}, 1),
    concat_case("transposed", {transposed({3, 4}), sliced({3, 2})}, 1),
});

}  // namespace
}  // namespace jogak::test
