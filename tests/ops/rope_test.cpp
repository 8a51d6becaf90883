#include "ops/rope.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/linear.h"
#include "tests/support/expect.h"
#include "tests/support/gradcheck.h"

namespace jogak {
namespace {

// One head two wide: the angle of position p is p.
Tensor angles(int64_t places) {
  return rope_table(arange(0, places).view({1, places}, {places, 1}, 0), full({1}, 1.0));
}

TEST(Rope, TheFirstPlaceStaysAndTheNextTurnsByOne) {
  const Tensor x = from_values(std::vector<float>{1, 0, 1, 0}, {1, 2, 2});
  const auto y = to_host<float>(rope(x, angles(2), 1));
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 0);
  EXPECT_NEAR(y[2], 0.540302, 1e-6);
  EXPECT_NEAR(y[3], 0.841471, 1e-6);
}

TEST(Rope, AScoreDependsOnTheDistanceAlone) {
  const auto q = to_host<float>(rope(full({1, 9, 2}, 0.7), angles(9), 1));
  const auto k = to_host<float>(rope(full({1, 9, 2}, -1.3), angles(9), 1));
  const auto score = [&](size_t i, size_t j) {
    return q[2 * i] * k[2 * j] + q[2 * i + 1] * k[2 * j + 1];
  };
  for (size_t i = 3; i < 9; ++i) EXPECT_NEAR(score(i, i - 3), score(3, 0), 1e-6) << i;
  EXPECT_GT(std::fabs(score(3, 0) - score(4, 0)), 0.1);
}

TEST(Rope, WhatNobodyElseHoldsIsTurnedInPlace) {
  const Tensor table = angles(3);
  Tensor x = randn({2, 3, 5}, Rng(1));
  const void* const place = x.raw();
  const Tensor kept = rope(x, table, 2);
  EXPECT_NE(kept.raw(), place);  // x is still here
  EXPECT_EQ(to_host<float>(x), to_host<float>(randn({2, 3, 5}, Rng(1))));
  const Tensor moved = rope(std::move(x), table, 2);
  EXPECT_EQ(moved.raw(), place);
  EXPECT_EQ(to_host<float>(moved), to_host<float>(kept));
}

// A row of a view that shares memory with others must leave them alone.
TEST(Rope, AGradientThatOthersShareIsNotOverwritten) {
  const Tensor table = angles(3), w = randn({4, 4}, Rng(2), DType::f64);
  const std::vector<Tensor> in = {randn({1, 3, 4}, Rng(1), DType::f64)};
  test::expect_gradient(
      [&](std::span<const Tensor> x) {
        const Tensor y = linear(x[0], w);
        return std::vector{rope(linear(x[0], w), table, 1), rope(y, table, 2), y};
      },
      in);
}

TEST(RopeErrors, WhatDoesNotFitIsRefused) {
  expect_error<ShapeError>(
      [] {
        rope(zeros({1, 2, 8}), zeros({1, 2, 3}), 1);
      },
      "rope: found heads 3 wide, wanted an even width: elements rotate in pairs");
  expect_error<ShapeError>(
      [] {
        rope(zeros({1, 2, 8}), zeros({1, 3, 4}), 1);
      },
      "rope: the table [1, 3, 4] does not have the rows of x [1, 2, 8]");
  expect_error<ShapeError>(
      [] {
        rope(zeros({1, 2, 8}), zeros({1, 2, 4}), 3);
      },
      "rope: 3 heads of 4 do not fit into x [1, 2, 8]");
  expect_error<ShapeError>(
      [] {
        rope(zeros({2, 8}), zeros({1, 2, 4}), 1);
      },
      "rope: wanted x [B, T, N] and a table [B or 1, T, D], got [2, 8] and "
      "[1, 2, 4]");
  expect_error<GradError>(
      [] {
        rope(zeros({1, 2, 8}), leaf(zeros({1, 2, 4})), 1);
      },
      "rope: the table is a constant, it has no gradient");
}

}  // namespace
}  // namespace jogak
