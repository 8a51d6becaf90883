#include "ops/add_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/add.h"
#include "ops/layer_norm.h"
#include "ops/rms_norm.h"
#include "tests/support/expect.h"
#include "tests/support/gradcheck.h"

namespace jogak {
namespace {

using test::gradients_of;

constexpr double kEps = 1e-5;
enum Use { the_sum = 1, the_norm = 2, both = 3 };

std::vector<Tensor> used(const Tensor& sum, const Tensor& norm, Use use) {
  std::vector<Tensor> out;
  if (use & the_sum) out.push_back(sum);
  if (use & the_norm) out.push_back(norm);
  return out;
}

std::vector<Tensor> fused(std::span<const Tensor> in, bool centered, Use use) {
  const auto [sum, norm] = centered ? add_layer_norm(in[0], in[1], in[2], in[3], kEps)
                                    : add_rms_norm(in[0], in[1], in[2], kEps);
  return used(sum, norm, use);
}

std::vector<Tensor> composed(std::span<const Tensor> in, bool centered, Use use) {
  const Tensor sum = in[0] + in[1];
  return used(sum, centered ? layer_norm(sum, in[2], in[3], kEps) : rms_norm(sum, in[2], kEps),
              use);
}

void expect_twins(const Shape& shape, DType dtype, bool centered, Use use, double tolerance) {
  const Shape feature{shape.dim(-1)};
  const std::vector inputs = {randn(shape, Rng(1), dtype), randn(shape, Rng(2), dtype),
                              randn(feature, Rng(3), dtype), randn(feature, Rng(4), dtype)};
  const auto one = [&](std::span<const Tensor> in) { return fused(in, centered, use); };
  const auto two = [&](std::span<const Tensor> in) { return composed(in, centered, use); };
  const auto a = one(inputs), b = two(inputs);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(to_host<double>(a[i]), to_host<double>(b[i])) << text_of(dtype, " ", shape);
  const auto da = gradients_of(one, inputs), db = gradients_of(two, inputs);
  for (size_t i = 0; i < da.size(); ++i) {
    const auto x = to_host<double>(da[i]), y = to_host<double>(db[i]);
    double top = 0;
    for (const double v : y) top = std::max(top, std::fabs(v));
    for (size_t e = 0; e < x.size(); ++e)
      ASSERT_NEAR(x[e], y[e], tolerance * top) << text_of(dtype, " ", shape, " gradient ", i);
  }
}

TEST(AddNorm, EqualsAdditionThenNorm) {
  for (const bool centered : {true, false})
    for (const Use use : {the_sum, the_norm, both})
      for (const Shape& shape : {Shape{1, 1}, Shape{5, 17}, Shape{2, 9, 64}, Shape{300, 40}}) {
        expect_twins(shape, DType::f64, centered, use, 1e-14);
        expect_twins(shape, DType::f32, centered, use, 4e-7);
        // The composed gradient is rounded once more on its way.
        expect_twins(shape, DType::bf16, centered, use, 1e-2);
      }
}

TEST(AddNorm, TheResidualAloneMayNeedAGradient) {
  const Tensor x = randn({2, 8}, Rng(1)), residual = leaf(randn({2, 8}, Rng(2)));
  const auto [sum, norm] = add_rms_norm(x, residual, Tensor(), kEps);
  const Tensor loss = test::weighted_sum(std::vector{sum, norm});
  EXPECT_EQ(text_of(gradients(loss, std::vector{residual})[0].shape()), "[2, 8]");
}

TEST(AddNormErrors, WhatDoesNotFitIsRefused) {
  expect_error<ShapeError>(
      [] {
        add_layer_norm(zeros({2, 4}), zeros({4}), Tensor(), Tensor(), kEps);
      },
      "add_layer_norm: x f32 [2, 4] and residual f32 [4] differ");
}

TEST(AddNorm, WithoutAResidualTheSumIsXItself) {
  const Tensor x = leaf(randn({2, 8}, Rng(1)));
  const auto [kept, norm] = add_rms_norm(x, Tensor(), Tensor(), kEps);
  EXPECT_EQ(kept.raw(), x.raw());
  EXPECT_EQ(to_host<float>(norm), to_host<float>(rms_norm(x, Tensor(), kEps)));
}

}  // namespace
}  // namespace jogak
