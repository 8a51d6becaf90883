#include "ops/reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Reduce, ByHand) {
  const Tensor x = from_values(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(item(sum(x)), 21);
  EXPECT_EQ(item(mean(x)), 3.5);
  EXPECT_EQ(to_host<float>(sum(x, 0)), (std::vector<float>{5, 7, 9}));
  EXPECT_EQ(to_host<float>(mean(x, 1)), (std::vector<float>{2, 5}));
  EXPECT_EQ(text_of(sum(x, -1, true).shape()), "[2, 1]");
}

TEST(Reduce, TheGradientOfAMeanIsItsShare) {
  const Tensor x = leaf(full({2, 4}, 3));
  EXPECT_EQ(to_host<float>(gradients(mean(x), std::vector{x})[0]), std::vector<float>(8, 0.125f));
}

TEST(Reduce, MillionsOfElementsLoseNothing) {  // adding floats one by one would lose 3 %
  const Tensor x = full({3000, 1000}, 0.1);
  EXPECT_NEAR(item(sum(x)) / 3e5, 1, 1e-6);
  EXPECT_NEAR(item(mean(x)) / 0.1, 1, 1e-6);
  const Tensor tall = x.view({1500000, 2}, {2, 1}, 0);
  for (const double column : to_host<double>(sum(tall, 0))) EXPECT_NEAR(column / 1.5e5, 1, 1e-6);
  const Tensor wide = x.view({2, 1500000}, {1500000, 1}, 0);
  for (const double row : to_host<double>(sum(wide, 1))) EXPECT_NEAR(row / 1.5e5, 1, 1e-6);
}

TEST(Reduce, AHalfPrecisionMeanDoesNotOverflow) {  // the sum, 800,000, is beyond f16
  EXPECT_EQ(item(mean(full({100000}, 8, DType::f16))), 8);
  EXPECT_TRUE(std::isinf(item(sum(full({100000}, 8, DType::f16)))));
}

TEST(Reduce, ARowDoesNotDependOnTheOthers) {
  const Tensor x = randn({40, 67}, Rng(3));
  const auto all = to_host<float>(sum(x, 1));
  for (int64_t r = 0; r < 40; ++r)
    EXPECT_EQ(item(sum(x.view({67}, {1}, r * 67))), all[static_cast<size_t>(r)]);
}

TEST(Reduce, RandomShapesAgreeWithPlainLoops) {
  Rng rng(12);
  for (int round = 0; round < 200; ++round) {
    const auto size = [&] { return 1 + static_cast<int64_t>(rng.below(40)); };
    const Shape shape{size(), size(), size()};
    const int axis = static_cast<int>(rng.below(3));
    const Tensor x = randn(shape, Rng(1, static_cast<uint64_t>(round)), DType::f64);
    const auto v = to_host<double>(x), got = to_host<double>(sum(x, axis));
    std::vector<double> wanted(got.size());
    const Strides strides = row_major(shape), kept = row_major(shape.without(axis));
    for (int64_t i = 0; i < shape.count(); ++i) {
      int64_t out = 0, at = 0;
      for (int a = 0; a < 3; ++a)
        if (a != axis) out += i / strides[a] % shape[a] * kept[at++];
      wanted[static_cast<size_t>(out)] += v[static_cast<size_t>(i)];
    }
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], wanted[i], 1e-12) << text_of(shape, " axis ", axis);
  }
}

TEST(ReduceErrors, WhatCannotBeReducedIsRefused) {
  expect_error<ShapeError>([] { mean(zeros({0, 3})); }, "mean: of no elements, shape [0, 3]");
  expect_error<ShapeError>([] { mean(zeros({0, 3}), 0); }, "mean: of no elements, shape [0, 3]");
  expect_error<ShapeError>([] { sum(zeros({2, 3}), 2); }, "axis 2 of shape [2, 3]");
  expect_error<ShapeError>([] { sum(zeros({2}, DType::i64)); },
                           "found dtype i64, wanted a float type");
}

}  // namespace
}  // namespace jogak
