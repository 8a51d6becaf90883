#include "ops/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/rms_norm.h"
#include "tests/ops/cases/norm_reference.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

Tensor values(std::vector<double> v) {
  const auto n = static_cast<int64_t>(v.size());
  return from_values(v, {n});
}

TEST(LayerNorm, TheNumbersOfTheTextbook) {
  const auto y = to_host<double>(layer_norm(values({2, 4, 6}), Tensor(), Tensor(), 1e-5));
  EXPECT_NEAR(y[0], -1.224743, 5e-7);
  EXPECT_NEAR(y[1], 0, 5e-7);
  EXPECT_NEAR(y[2], 1.224743, 5e-7);
}

TEST(LayerNorm, MeanIsNotTheMedian) {
  const auto y = to_host<double>(layer_norm(values({2, 4, 9}), Tensor(), Tensor(), 0));
  EXPECT_NEAR(y[0], -3 / std::sqrt(26.0 / 3), 1e-12);  // around 5, not around 4
}

TEST(LayerNorm, KeepsItsPrecisionFarFromZero) {
  const auto y = to_host<float>(layer_norm(
      from_values(std::vector<float>{10000, 10001, 10002, 10003}, {4}), Tensor(), Tensor(), 0));
  const double wanted[] = {-1.3416408, -0.4472136, 0.4472136, 1.3416408};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], wanted[i], 1e-6);
}

TEST(LayerNorm, ARowDoesNotDependOnTheOthers) {
  const Tensor x = randn({64, 67}, Rng(3));
  const auto all = to_host<float>(layer_norm(x, Tensor(), Tensor(), 1e-5));
  for (int64_t r = 0; r < 64; ++r) {
    const Tensor row = x.view({1, 67}, {67, 1}, r * 67);
    const auto one = to_host<float>(layer_norm(row, Tensor(), Tensor(), 1e-5));
    ASSERT_TRUE(std::equal(one.begin(), one.end(), all.begin() + r * 67)) << "row " << r;
  }
}

TEST(LayerNorm, RandomShapesAgreeWithTheReference) {
  Rng rng(24);
  for (int round = 0; round < 200; ++round) {
    const auto rows = static_cast<int64_t>(rng.below(9)),
               cols = 1 + static_cast<int64_t>(rng.below(80));
    const Tensor x = randn({rows, cols}, rng.split(1), DType::f64);
    const Tensor w = randn({cols}, rng.split(2), DType::f64),
                 b = randn({cols}, rng.split(3), DType::f64);
    const auto in = test::to_values(std::vector{x, w, b});
    const auto check = [&](const Tensor& got, const test::Values& wanted) {
      const auto g = to_host<double>(got);
      for (size_t i = 0; i < g.size(); ++i)
        ASSERT_NEAR(g[i], wanted.v[i], 1e-11) << text_of(x.shape()) << " element " << i;
    };
    check(layer_norm(x, w, b, 1e-3), test::reference_norm(in[0], &in[1], &in[2], true, 1e-3));
    check(rms_norm(x, w, 1e-3), test::reference_norm(in[0], &in[1], nullptr, false, 1e-3));
  }
}

TEST(LayerNorm, NothingIsKeptWithoutGradients) {
  const Tensor x = randn({256, 64}, Rng(1));
  cpu_device().allocator().trim();  // a cached block may be a little larger than asked for
  const size_t before = cpu_device().allocator().stats().live_bytes;
  const Tensor y = layer_norm(x, Tensor(), Tensor(), 1e-5);
  EXPECT_EQ(cpu_device().allocator().stats().live_bytes, before + y.bytes());
}

TEST(LayerNorm, OnlyWhatIsAskedGetsAGradient) {
  const Tensor x = randn({4, 8}, Rng(1)), w = leaf(randn({8}, Rng(2)));
  const Tensor y = layer_norm(x, w, Tensor(), 1e-5);
  const Grads grads = y.history()->backward(std::vector{full({4, 8}, 1.0)});
  EXPECT_FALSE(grads[0].defined());
  EXPECT_TRUE(grads[1].defined());
  EXPECT_FALSE(grads[2].defined());
}

TEST(LayerNormErrors, WhatDoesNotFitIsRefused) {
  const Tensor x = zeros({2, 4});
  expect_error<ShapeError>([] { layer_norm(scalar(1), Tensor(), Tensor(), 1e-5); },
                           "layer_norm: needs at least one axis, got shape []");
  expect_error<ShapeError>([&] { layer_norm(x, zeros({3}), Tensor(), 1e-5); },
                           "layer_norm: weight is f32 [3], x f32 [2, 4] wants f32 [4]");
  expect_error<ShapeError>([&] { layer_norm(x, Tensor(), zeros({4}, DType::f64), 1e-5); },
                           "layer_norm: bias is f64 [4], x f32 [2, 4] wants f32 [4]");
  expect_error<UsageError>([&] { layer_norm(x, Tensor(), Tensor(), -1); },
                           "layer_norm: eps is -1, wanted 0 or more");
  expect_error<ShapeError>(
      [&] {
        rms_norm(x, zeros({4, 1}), 1e-5);
      },
      "rms_norm: weight is f32 [4, 1], x f32 [2, 4] wants f32 [4]");
  expect_error<ShapeError>([] { layer_norm(zeros({2}, DType::i64), Tensor(), Tensor(), 1e-5); },
                           "found dtype i64, wanted a float type");
}

}  // namespace
}  // namespace jogak
