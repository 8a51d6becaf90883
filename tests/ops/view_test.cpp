// reshape, contiguous, transpose, permute, slice, split, unfold and concat beyond their cases.
#include <array>

#include "autograd/autograd.h"
#include "ops/add.h"
#include "ops/concat.h"
#include "ops/reduce.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/sum_to.h"
#include "ops/transpose.h"
#include "ops/unfold.h"
#include "tests/support/expect.h"
#include "tests/support/gradcheck.h"

namespace jogak {
namespace {

TEST(Views, ShareStorageWhereTheyCan) {
  const Tensor x = zeros({4, 6});
  EXPECT_EQ(reshape(x, {3, -1}).storage(), x.storage());
  EXPECT_EQ(transpose(x, 0, 1).storage(), x.storage());
  EXPECT_EQ(slice(x, 0, 1, 3).storage(), x.storage());
  EXPECT_EQ(unfold(x, 1, 3, 2).storage(), x.storage());
  EXPECT_EQ(contiguous(x).storage(), x.storage());
  EXPECT_NE(reshape(transpose(x, 0, 1), {24}).storage(), x.storage());
  EXPECT_NE(contiguous(transpose(x, 0, 1)).storage(), x.storage());
}

// d/dx of sum(w * y) with y = slices of x that overlap: every slice adds its part.
TEST(Views, SeveralSlicesOfOneTensorAddUp) {
  const Tensor x = leaf(from_values(std::vector<double>{1, 2, 3, 4}, {4}));
  const Tensor y = add(slice(x, 0, 0, 3), slice(x, 0, 1, 4));
  Tensor loss = zeros({}, DType::f64);
  record_many("sum", std::span(&loss, 1), std::span(&y, 1),
              [](std::span<const Tensor>) { return Grads{full({3}, 1, DType::f64)}; });
  EXPECT_EQ(to_host<double>(gradients(loss, {{x}})[0]), (std::vector<double>{1, 2, 2, 1}));
}

// The gradient of reshape shares storage with the gradient of y itself: adding must not mix them.
TEST(Views, SharedGradientsAreNotOverwritten) {
  const Tensor x = leaf(full({2, 2}, 1, DType::f64));
  const Tensor flat = reshape(x, {4});
  const Tensor y = add(add(flat, flat), reshape(x, {4}));
  const auto grads = gradients(test::weighted_sum({{y}}), {{x}});
  const auto w = to_host<double>(randn({4}, Rng(7, 0), DType::f64));
  const auto g = to_host<double>(grads[0]);
  for (size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(g[i], 3 * w[i]);
}

TEST(Views, UnusedPartsOfASplitHaveZeroGradient) {
  const Tensor x = leaf(from_values(std::vector<double>{1, 2, 3, 4, 5}, {5}));
  const std::array<int64_t, 3> sizes = {2, 1, 2};
  const auto parts = split(x, 0, sizes);
  const Tensor middle = reshape(parts[1], {});
  EXPECT_EQ(to_host<double>(gradients(middle, {{x}})[0]), (std::vector<double>{0, 0, 1, 0, 0}));
}

TEST(Views, WindowsOverlapAndLeaveTheRestOut) {
  const Tensor x = leaf(from_values(std::vector<double>{1, 2, 3, 4, 5, 6}, {6}));
  const Tensor y = unfold(x, 0, 3, 2);
  EXPECT_EQ(to_host<double>(y), (std::vector<double>{1, 2, 3, 3, 4, 5}));
  const Tensor loss = sum(y);
  EXPECT_EQ(to_host<double>(gradients(loss, {{x}})[0]), (std::vector<double>{1, 1, 2, 1, 1, 0}));
}

TEST(Views, ConcatUndoesSplit) {
  Rng rng(3, 3);
  for (uint64_t round = 0; round < 100; ++round) {
    Shape shape;
    const auto rank = 1 + static_cast<int>(rng.below(4));
    for (int i = 0; i < rank; ++i) shape = shape.plus(static_cast<int64_t>(rng.below(6)));
    const Tensor x = randn(shape, Rng(4, round), DType::f64);
    const auto axis = static_cast<int>(rng.below(static_cast<uint64_t>(rank)));
    const auto first = static_cast<int64_t>(rng.below(static_cast<uint64_t>(shape[axis]) + 1));
    const std::array<int64_t, 2> sizes = {first, shape[axis] - first};
    EXPECT_EQ(to_host<double>(concat(split(x, axis, sizes), axis)), to_host<double>(x))
        << text_of(shape, " axis ", axis, " at ", first);
  }
}

TEST(ViewErrors, SayWhatDoesNotFit) {
  const Tensor x = zeros({2, 3});
  expect_error<ShapeError>([&] { reshape(x, {4}); },
                           "reshape: [2, 3] has 6 elements, which do not fit [4]");
  expect_error<ShapeError>(
      [&] {
        reshape(x, {4, -1});
      },
      "reshape: [2, 3] has 6 elements, which do not fit [4, -1]");
  expect_error<ShapeError>(
      [&] {
        reshape(x, {0, -1});
      },
      "reshape: [2, 3] has 6 elements, which do not fit [0, -1]");
  expect_error<ShapeError>(
      [&] {
        reshape(x, {-1, -1});
      },
      "reshape: found sizes [-1, -1], wanted none negative but one -1");
  expect_error<ShapeError>(
      [&] {
        reshape(x, {-2, 3});
      },
      "reshape: found sizes [-2, 3], wanted none negative but one -1");
  expect_error<ShapeError>([&] { transpose(x, 0, 2); }, "axis 2 of shape [2, 3]");
  expect_error<ShapeError>(
      [&] {
        permute(x, std::array{0, 0});
      },
      "permute: found axes [0, 0] for shape [2, 3], wanted each axis once");
  expect_error<ShapeError>([&] { permute(x, std::array{0}); },
                           "permute: found axes [0] for shape [2, 3], wanted each axis once");
  expect_error<ShapeError>([&] { slice(x, 1, 1, 4); },
                           "slice: found [1, 4) along axis 1 of shape [2, 3]");
  expect_error<ShapeError>([&] { slice(x, -1, 2, 1); },
                           "slice: found [2, 1) along axis -1 of shape [2, 3]");
  expect_error<ShapeError>(
      [&] {
        split(x, 1, std::array<int64_t, 2>{2, 2});
      },
      "split: a part of 2 at place 2 along axis 1 of shape [2, 3]");
  expect_error<ShapeError>([&] { split(x, 1, std::array<int64_t, 1>{2}); },
                           "split: parts of 2 in all along axis 1 of shape [2, 3]");
  expect_error<ShapeError>([&] { unfold(x, 1, 4, 1); },
                           "unfold: windows of 4 every 1 along axis 1 of shape [2, 3]");
  expect_error<ShapeError>([&] { unfold(x, 1, 2, 0); },
                           "unfold: windows of 2 every 0 along axis 1 of shape [2, 3]");
  expect_error<ShapeError>([] { concat({}, 0); }, "concat: found no tensors, wanted at least one");
  expect_error<ShapeError>(
      [&] {
        concat({{x, zeros({2, 4})}}, 0);
      },
      "concat along axis 0: found f32 [2, 3] and f32 [2, 4]");
  expect_error<ShapeError>(
      [&] {
        concat({{x, zeros({2, 3}, DType::f64)}}, 0);
      },
      "concat along axis 0: found f32 [2, 3] and f64 [2, 3]");
}

}  // namespace
}  // namespace jogak
