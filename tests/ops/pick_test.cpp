#include "ops/pick.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/autograd.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Ids = std::vector<int64_t>;

Tensor row(std::vector<float> v) {
  const auto n = static_cast<int64_t>(v.size());
  return from_values(v, {n});
}

TEST(Argmax, TheFirstOfEquals) {
  EXPECT_EQ(to_host<int64_t>(argmax(row({1, 3, 3, 2}))), Ids{1});
  std::vector<float> many(100, 0.0f);
  many[37] = many[38] = many[90] = 5;
  EXPECT_EQ(to_host<int64_t>(argmax(row(many))), Ids{37});
  EXPECT_EQ(to_host<int64_t>(argmax(row({-INFINITY, -INFINITY}))), Ids{0});
  EXPECT_EQ(to_host<int64_t>(argmax(row({-0.0f, 0.0f}))), Ids{0});
}

TEST(Argmax, NanIsLargest) {
  std::vector<float> v(50, 1.0f);
  v[3] = INFINITY;
  v[33] = v[40] = NAN;
  EXPECT_EQ(to_host<int64_t>(argmax(row(v))), Ids{33});
  v[0] = NAN;
  EXPECT_EQ(to_host<int64_t>(argmax(row(v))), Ids{0});
}

TEST(ArgmaxFinite, ChoosesNothingWhereTheLargestIsNoNumber) {
  const float inf = INFINITY;
  const std::vector<float> rows = {1,   3,    2,    1,    inf,  2, 1,   NAN,
                                   inf, -inf, -inf, -inf, -inf, 4, -inf};
  EXPECT_EQ(to_host<int64_t>(argmax_finite(from_values(rows, {5, 3}))), (Ids{1, -1, -1, -1, 1}));
}

TEST(Argmax, OverTheLastAxis) {
  const Tensor ids = argmax(from_values(std::vector<float>{1, 2, 9, 4, 5, 0}, {2, 1, 3}));
  EXPECT_EQ(text_of(ids.shape()), "[2, 1]");
  EXPECT_EQ(to_host<int64_t>(ids), (Ids{2, 1}));
}

TEST(TopK, FallingWithTheLowerIndexFirst) {
  const auto [values, ids] = top_k(row({2, 7, 7, 1, 9, 7}), 4);
  EXPECT_EQ(to_host<float>(values), (std::vector<float>{9, 7, 7, 7}));
  EXPECT_EQ(to_host<int64_t>(ids), (Ids{4, 1, 2, 5}));
}

TEST(TopK, NanComesFirst) {
  const auto [values, ids] = top_k(row({2, NAN, INFINITY, NAN}), 3);
  EXPECT_EQ(to_host<int64_t>(ids), (Ids{1, 3, 2}));
  EXPECT_TRUE(std::isnan(to_host<float>(values)[1]));
  EXPECT_EQ(to_host<int64_t>(top_k(row({NAN, NAN, NAN}), 2).second), (Ids{0, 1}));
}

TEST(TopK, GradientGoesBackToWhereItCameFrom) {
  const Tensor x = leaf(row({2, 7, 1}));
  const Tensor best = top_k(x, 1).first;
  EXPECT_EQ(to_host<float>(gradients(best, std::vector{x})[0]), (std::vector<float>{0, 1, 0}));
}

TEST(TopK, RandomShapesAgreeWithSorting) {
  Rng rng(17);
  for (int round = 0; round < 200; ++round) {
    const auto rows = static_cast<int64_t>(rng.below(5)),
               n = 1 + static_cast<int64_t>(rng.below(90));
    const auto k = static_cast<int64_t>(rng.below(static_cast<uint64_t>(n + 1)));
    std::vector<float> v(static_cast<size_t>(rows * n));  // few values: many equals
    for (float& value : v) value = static_cast<float>(rng.below(20));
    const Tensor x = from_values(v, {rows, n});
    const auto ids = to_host<int64_t>(top_k(x, k).second), first = to_host<int64_t>(argmax(x));
    for (int64_t r = 0; r < rows; ++r) {
      const float* at = v.data() + r * n;
      Ids wanted(static_cast<size_t>(n));
      std::iota(wanted.begin(), wanted.end(), 0);
      std::stable_sort(wanted.begin(), wanted.end(),
                       [&](int64_t a, int64_t b) { return at[a] > at[b]; });
      EXPECT_EQ(first[static_cast<size_t>(r)], wanted[0]);
      ASSERT_TRUE(std::equal(wanted.begin(), wanted.begin() + k, ids.begin() + r * k))
          << rows << " x " << n << ", k " << k << ", row " << r;
    }
  }
}

TEST(PickErrors, WhatCannotBePickedIsRefused) {
  expect_error<ShapeError>(
      [] {
        argmax(zeros({2, 0}));
      },
      "argmax: shape [2, 0], wanted at least one element in the last axis");
  expect_error<UsageError>([] { top_k(zeros({2, 3}), 4); }, "top_k: 4 of 3 elements: shape [2, 3]");
  expect_error<UsageError>(
      [] {
        top_k(zeros({2, 3}), -1);
      },
      "top_k: -1 of 3 elements: shape [2, 3]");
  const Tensor x = leaf(zeros({1, 3}));
  const Tensor ids = top_k(x, 1).second;
  expect_error<GradError>([&] { gradients(ids, std::vector{x}); },
                          "top_k: has no derivative, but a gradient was asked");
}

}  // namespace
}  // namespace jogak
