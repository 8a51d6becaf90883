#include "ops/regression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

Tensor row(std::vector<float> v) {
  const auto n = static_cast<int64_t>(v.size());
  return from_values(v, {n});
}

TEST(Regression, ByHand) {
  const Tensor p = row({1, 2, 3, 4}), t = row({1, 4, 0, 4});
  EXPECT_FLOAT_EQ(static_cast<float>(item(mse(p, t))), 13.0f / 4);
  EXPECT_FLOAT_EQ(static_cast<float>(item(mae(p, t))), 5.0f / 4);
}

TEST(Regression, GradientsByHand) {
  const Tensor p = leaf(row({1, 2, 3, 4})), t = leaf(row({1, 4, 0, 4}));
  const auto square = gradients(mse(p, t), std::vector{p, t});
  EXPECT_EQ(to_host<float>(square[0]), (std::vector<float>{0, -1, 1.5, 0}));
  EXPECT_EQ(to_host<float>(square[1]), (std::vector<float>{0, 1, -1.5, 0}));
  const auto absolute = gradients(mae(p, t), std::vector{p, t});
  EXPECT_EQ(to_host<float>(absolute[0]), (std::vector<float>{0, -0.25, 0.25, 0}));
}

TEST(Regression, WhatIsMaskedOutMayHoldAnything) {
  const Tensor mask = cast(row({1, 0, 1}), DType::boolean);
  const Tensor p = leaf(row({1, NAN, 3})), t = row({0, 5, 1});
  for (const bool squared : {true, false}) {
    const Tensor loss = squared ? mse(p, t, mask) : mae(p, t, mask);
    EXPECT_FLOAT_EQ(static_cast<float>(item(loss)), squared ? 2.5f : 1.5f);
    EXPECT_EQ(to_host<float>(gradients(loss, std::vector{p})[0]),
              squared ? (std::vector<float>{1, 0, 2}) : (std::vector<float>{0.5, 0, 0.5}));
  }
  EXPECT_EQ(item(mse(p, t, zeros({3}, DType::boolean))), 0);
}

TEST(Regression, NanThatCountsIsNotHidden) {
  const Tensor p = leaf(row({1, NAN}));
  for (const Tensor& loss : {mse(p, row({0, 0})), mae(p, row({0, 0}))}) {
    EXPECT_TRUE(std::isnan(item(loss)));
    EXPECT_TRUE(std::isnan(to_host<float>(gradients(loss, std::vector{p})[0])[1]));
  }
}

TEST(Regression, LogOddsByHand) {
  const Tensor x = leaf(row({0, 2, -3, 500, -500})), t = leaf(row({1, 0, 1, 1, 1}));
  const double wanted =
      (std::log(2.0) + std::log1p(std::exp(2.0)) + std::log1p(std::exp(3.0)) + 500) / 5;
  const Tensor loss = binary_cross_entropy(x, t);
  EXPECT_NEAR(item(loss), wanted, 1e-5 * wanted);
  const auto grads = gradients(loss, std::vector{x, t});
  const auto dx = to_host<float>(grads[0]), dt = to_host<float>(grads[1]);
  const double slopes[] = {-0.5, 0.880797, -0.952574, 0, -1};
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(dx[i], slopes[i] / 5, 1e-6) << i;
  EXPECT_EQ(dt, (std::vector<float>{0, -0.4f, 0.6f, -100, 100}));
}

TEST(Regression, MillionsOfElementsLoseNothing) {  // adding floats one by one would lose 3 %
  const Tensor p = full({3000, 1000}, 0.1), t = zeros({3000, 1000});
  EXPECT_NEAR(item(mae(p, t)) / 0.1, 1, 1e-6);
}

TEST(Regression, OnlyWhatIsAskedGetsAGradient) {
  const Tensor p = leaf(row({1, 2})), t = row({0, 0});
  const Grads grads = mse(p, t).history()->backward(std::vector{scalar(1)});
  EXPECT_TRUE(grads[0].defined());
  EXPECT_FALSE(grads[1].defined());
}

TEST(Regression, RandomShapesAgreeWithPlainLoops) {
  Rng rng(8);
  for (int round = 0; round < 200; ++round) {
    const Shape shape{static_cast<int64_t>(rng.below(6)), 1 + static_cast<int64_t>(rng.below(50)),
                      1 + static_cast<int64_t>(rng.below(20))};
    const auto stream = static_cast<uint64_t>(2 * round);
    const Tensor p = randn(shape, Rng(1, stream), DType::f64);
    const Tensor t = randn(shape, Rng(1, stream + 1), DType::f64);
    const auto a = to_host<double>(p), b = to_host<double>(t);
    double square = 0, absolute = 0;
    const double n = std::max(1.0, static_cast<double>(a.size()));
    for (size_t i = 0; i < a.size(); ++i) {
      square += (a[i] - b[i]) * (a[i] - b[i]) / n;
      absolute += std::fabs(a[i] - b[i]) / n;
    }
    ASSERT_NEAR(item(mse(p, t)), square, 1e-13 * (1 + square)) << text_of(shape);
    ASSERT_NEAR(item(mae(p, t)), absolute, 1e-13 * (1 + absolute)) << text_of(shape);
  }
}

TEST(RegressionErrors, WhatDoesNotFitIsRefused) {
  expect_error<ShapeError>(
      [] {
        mse(zeros({2, 3}), zeros({3}));
      },
      "mse: prediction f32 [2, 3] and target f32 [3] differ");
  expect_error<ShapeError>([] { mae(zeros({2}), zeros({2}, DType::f64)); },
                           "mae: prediction f32 [2] and target f64 [2] differ");
  expect_error<ShapeError>([] { mae(zeros({2}), zeros({2}), zeros({2})); },
                           "mae: mask f32 [2], wanted bool [2]");
}

}  // namespace
}  // namespace jogak
