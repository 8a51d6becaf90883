#include "ops/softmax.h"

#include <gtest/gtest.h>

#include <cmath>

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
