#include "ops/softmax.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/mul.h"

namespace jogak {
namespace {

TEST(Softmax, TheNumbersOfTheTextbook) {
  const auto y = to_host<double>(softmax(from_values(std::vector<double>{2, 1, 0.1}, {3})));
  EXPECT_NEAR(y[0], 0.659001, 5e-7);
  EXPECT_NEAR(y[1], 0.242433, 5e-7);
  EXPECT_NEAR(y[2], 0.098566, 5e-7);
}

TEST(Softmax, LargeInputsDoNotOverflow) {
  const auto y =
      to_host<float>(softmax(from_values(std::vector<float>{1e30f, 1e30f, -1e30f}, {3})));
  EXPECT_FLOAT_EQ(y[0], 0.5f);
  EXPECT_FLOAT_EQ(y[2], 0.0f);
}

TEST(Softmax, ARowMaskedEverywhereGivesZeros) {
  const float inf = INFINITY;
  const auto y =
      to_host<float>(softmax(from_values(std::vector<float>{-inf, -inf, 0, -inf}, {2, 2})));
  EXPECT_EQ(y, (std::vector<float>{0, 0, 1, 0}));
}

TEST(Softmax, ANanIsNotHidden) {
  const auto y = to_host<float>(softmax(from_values(std::vector<float>{1, NAN, 2}, {3})));
  for (const float v : y) EXPECT_TRUE(std::isnan(v));
}

// Rounded where the two ops would round, whether or not somebody learns.
TEST(Softmax, WeighingInOnePassGivesTheBitsOfTwo) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16})
    for (const int64_t cols : {1, 5, 8, 16, 17, 67}) {
      Rng rng(static_cast<uint64_t>(cols));
      const Tensor x = randn({7, cols}, rng, dtype);
      const Tensor scores = randn({7, cols}, rng, dtype);
      EXPECT_EQ(to_host<double>(mul_softmax(x, scores)), to_host<double>(mul(x, softmax(scores))))
          << dtype << " " << cols;
    }
}

TEST(SoftmaxErrors, ScalarIsRefused) {
  try {
    softmax(scalar(1));
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "softmax: needs at least one axis, got shape []");
  }
}

}  // namespace
}  // namespace jogak
