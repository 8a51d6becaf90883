#include "ops/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/layer_norm.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

const BatchNormOptions kTraining{.training = true};

BatchNormState fresh(int64_t features) { return {zeros({features}), full({features}, 1)}; }

Tensor numbers() { return from_values(std::vector<float>{2, 4, 6, 8, 10, 30}, {2, 3}); }

void expect_values(const Tensor& x, const std::vector<double>& wanted) {
  const auto got = to_host<double>(x);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 2e-6) << i;
}

TEST(BatchNorm, OverTheBatchWhereLayerNormIsOverTheFeatures) {
  const double a = 3 / std::sqrt(9 + 1e-5), b = 12 / std::sqrt(144 + 1e-5);
  expect_values(batch_norm(numbers(), Tensor(), Tensor(), {}, kTraining), {-a, -a, -b, a, a, b});
  expect_values(layer_norm(numbers(), Tensor(), Tensor(), 1e-5),
                {-1.224743, 0, 1.224743, -0.805387, -0.604040, 1.409428});
}

TEST(BatchNorm, RunningStatisticsTakeTheUnbiasedVariance) {
  const BatchNormState state = fresh(3);
  batch_norm(numbers(), Tensor(), Tensor(), state, kTraining);
  expect_values(state.running_mean, {0.5, 0.7, 1.8});
  expect_values(state.running_var, {0.9 + 1.8, 0.9 + 1.8, 0.9 + 28.8});
}

TEST(BatchNorm, EvaluationUsesTheRunningStatisticsAndKeepsThem) {
  const BatchNormState state{full({3}, 1), full({3}, 4)};
  const uint64_t version = state.running_mean.storage()->version();
  expect_values(batch_norm(numbers(), Tensor(), Tensor(), state, {.eps = 0}),
                {0.5, 1.5, 2.5, 3.5, 4.5, 14.5});
  EXPECT_EQ(state.running_mean.storage()->version(), version);
  expect_values(state.running_var, {4, 4, 4});
}

TEST(BatchNorm, PaddingIsLeftOut) {
  const Tensor padded =
      from_values(std::vector<float>{2, 4, 6, NAN, 1e30f, -7, 8, 10, 30}, {1, 3, 3});
  const Tensor mask = cast(from_values(std::vector<float>{1, 0, 1}, {1, 3}), DType::boolean);
  const BatchNormState state = fresh(3), plain = fresh(3);
  BatchNormOptions options = kTraining;
  options.mask = mask;
  const auto y = to_host<float>(batch_norm(padded, Tensor(), Tensor(), state, options));
  const auto wanted = to_host<float>(batch_norm(numbers(), Tensor(), Tensor(), plain, kTraining));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(y[i], wanted[i]);
    EXPECT_EQ(y[6 + i], wanted[3 + i]);
  }
  EXPECT_NEAR(y[5], (-7 - 18) / std::sqrt(144 + 1e-5), 1e-5);  // normalised like the others
  EXPECT_EQ(to_host<float>(state.running_mean), to_host<float>(plain.running_mean));
  EXPECT_EQ(to_host<float>(state.running_var), to_host<float>(plain.running_var));
}

TEST(BatchNorm, RandomShapesAgreeWithPlainLoops) {
  Rng rng(31);
  for (int round = 0; round < 200; ++round) {
    const int64_t rows = 2 + static_cast<int64_t>(rng.below(40));
    const int64_t cols = 1 + static_cast<int64_t>(rng.below(70));
    const Tensor x = randn({rows, cols}, Rng(1, static_cast<uint64_t>(round)), DType::f64);
    const Tensor old = randn({cols}, Rng(2, static_cast<uint64_t>(round)), DType::f64);
    const BatchNormState state{clone(old), clone(old)};
    const auto y = to_host<double>(
        batch_norm(x, Tensor(), Tensor(), state, {.training = true, .momentum = 0.3}));
    const auto v = to_host<double>(x), before = to_host<double>(old);
    const auto running_mean = to_host<double>(state.running_mean);
    const auto running_var = to_host<double>(state.running_var);
    for (int64_t i = 0; i < cols; ++i) {
      const auto at = [&](int64_t r) { return static_cast<size_t>(r * cols + i); };
      const double n = static_cast<double>(rows);
      double mean = 0, squares = 0;
      for (int64_t r = 0; r < rows; ++r) mean += v[at(r)] / n;
      for (int64_t r = 0; r < rows; ++r) squares += (v[at(r)] - mean) * (v[at(r)] - mean);
      for (int64_t r = 0; r < rows; ++r)
        ASSERT_NEAR(y[at(r)], (v[at(r)] - mean) / std::sqrt(squares / n + 1e-5), 1e-11);
      ASSERT_NEAR(running_mean[at(0)], 0.7 * before[at(0)] + 0.3 * mean, 1e-13);
      ASSERT_NEAR(running_var[at(0)], 0.7 * before[at(0)] + 0.3 * squares / (n - 1), 1e-12);
    }
  }
}

TEST(BatchNorm, AChangedStateIsNoticedByItsVersion) {
  const BatchNormState state = fresh(3);
  const uint64_t mean = state.running_mean.storage()->version();
  const uint64_t var = state.running_var.storage()->version();
  batch_norm(numbers(), Tensor(), Tensor(), state, kTraining);
  EXPECT_GT(state.running_mean.storage()->version(), mean);
  EXPECT_GT(state.running_var.storage()->version(), var);
}

TEST(BatchNorm, TheNextStepDoesNotDisturbAnEarlierBackward) {
  const BatchNormState state = fresh(3);
  const Tensor x = leaf(numbers()), w = leaf(full({3}, 2));
  const Tensor y = batch_norm(x, w, Tensor(), state, {});
  batch_norm(numbers(), Tensor(), Tensor(), state, kTraining);
  const Grads grads = y.history()->backward(std::vector{full({2, 3}, 1)});
  expect_values(grads[0], std::vector<double>(6, 2 / std::sqrt(1 + 1e-5)));
}

TEST(BatchNorm, FarFromZeroItKeepsItsPrecision) {
  std::vector<float> v(3000);
  for (size_t i = 0; i < v.size(); ++i) v[i] = 10000 + static_cast<float>(i % 2);
  const BatchNormState state{zeros({1}), zeros({1})};
  batch_norm(from_values(v, {3000, 1}), Tensor(), Tensor(), state,
             {.training = true, .momentum = 1});
  EXPECT_NEAR(to_host<float>(state.running_mean)[0], 10000.5, 1e-3);
  EXPECT_NEAR(to_host<float>(state.running_var)[0], 0.25 * 3000 / 2999, 1e-6);
}

TEST(BatchNormErrors, ABatchOfOneIsRefused) {
  expect_error<ShapeError>(
      [] {
        batch_norm(zeros({1, 4}), Tensor(), Tensor(), fresh(4), kTraining);
      },
      "batch_norm: training wants at least 2 rows, got shape [1, 4]");
  BatchNormOptions options = kTraining;
  options.mask = cast(from_values(std::vector<float>{0, 1, 0}, {3}), DType::boolean);
  const BatchNormState state = fresh(4);
  expect_error<Error>(
      [&] {
        batch_norm(zeros({3, 4}), Tensor(), Tensor(), state, options);
      },
      "batch_norm: training wants at least 2 rows that count, the mask leaves 1");
  EXPECT_EQ(to_host<float>(state.running_var), (std::vector<float>{1, 1, 1, 1}));
}

TEST(BatchNormErrors, WhatDoesNotFitIsRefused) {
  const Tensor x = zeros({2, 4});
  expect_error<ShapeError>([&] { batch_norm(x, zeros({3}), Tensor(), fresh(4), kTraining); },
                           "batch_norm: weight is f32 [3], x f32 [2, 4] wants f32 [4]");
  expect_error<ShapeError>(
      [&] {
        batch_norm(zeros({2, 4}, DType::f64), Tensor(), Tensor(), fresh(4), kTraining);
      },
      "batch_norm: running mean is f32 [4], x f64 [2, 4] wants f64 [4]");
  expect_error<ShapeError>([&] { batch_norm(x, Tensor(), Tensor(), {}, {}); },
                           "batch_norm: running statistics are wanted outside training");
  expect_error<ShapeError>(
      [&] {
        batch_norm(x, Tensor(), Tensor(), {zeros({4}), Tensor()}, kTraining);
      },
      "batch_norm: one of the running statistics is undefined");
  BatchNormOptions options = kTraining;
  options.mask = zeros({2, 4}, DType::boolean);
  expect_error<ShapeError>([&] { batch_norm(x, Tensor(), Tensor(), fresh(4), options); },
                           "batch_norm: mask bool [2, 4], wanted bool [2]");
}

}  // namespace
}  // namespace jogak
