#include "ops/alibi.h"

#include <gtest/gtest.h>

#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Alibi, SlopesOfAPowerOfTwoHalveEvenly) {
  EXPECT_EQ(alibi_slopes(8), (std::vector<float>{0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f, 0.015625f,
                                                 0.0078125f, 0.00390625f}));
  EXPECT_EQ(alibi_slopes(1), (std::vector<float>{0.00390625f}));
}

TEST(Alibi, FurtherHeadsTakeEveryOtherSlopeOfTheNextPower) {
  const std::vector<float> six = alibi_slopes(6), eight = alibi_slopes(8);
  ASSERT_EQ(six.size(), 6u);
  EXPECT_EQ(std::vector(six.begin(), six.begin() + 4), alibi_slopes(4));
  EXPECT_EQ(six[4], eight[0]);
  EXPECT_EQ(six[5], eight[2]);
}

TEST(AlibiErrors, WhatDoesNotFitIsRefused) {
  expect_error<ShapeError>([] { alibi_slopes(0); },
                           "alibi: found 0 heads, wanted a positive number");
  expect_error<ShapeError>(
      [] {
        alibi(zeros({2, 2}), 3);
      },
      "alibi: wanted slopes [heads] and a length, got f32 [2, 2] and 3");
  expect_error<ShapeError>(
      [] {
        alibi(zeros({2}), 3, {.key_mask = zeros({1, 4}, DType::boolean)});
      },
      "alibi: the key mask must be a dense bool [batch, 3]");
}

}  // namespace
}  // namespace jogak
