#include "ops/scale_series.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(ScaleSeries, ByHand) {
  const Tensor x = from_values(std::vector<float>{1, 10, 3, 30, 5, 80}, {1, 3, 2});
  const ScaledSeries a = scale_series(x, {}, {SeriesScaling::deviation, 0, 0});
  EXPECT_EQ(to_host<float>(a.loc), (std::vector<float>{3, 40}));
  EXPECT_NEAR(to_host<float>(a.scale)[0], std::sqrt(8.0 / 3), 1e-6);
  EXPECT_NEAR(to_host<float>(a.values)[0], -2 / std::sqrt(8.0 / 3), 1e-6);
  const ScaledSeries b = scale_series(x, {}, {SeriesScaling::mean, 0, 0});
  EXPECT_EQ(to_host<float>(b.loc), (std::vector<float>{0, 0}));
  EXPECT_EQ(to_host<float>(b.scale), (std::vector<float>{3, 40}));
}

TEST(ScaleSeries, WhatWasNotObservedTouchesNothing) {
  const Tensor seen = cast(from_values(std::vector<int64_t>{1, 0, 1}, {1, 3, 1}), DType::boolean);
  for (const SeriesScaling kind : {SeriesScaling::deviation, SeriesScaling::mean}) {
    const auto of = [&](float hidden) {
      const Tensor x = from_values(std::vector<float>{1, hidden, 5}, {1, 3, 1});
      const ScaledSeries s = scale_series(x, seen, {kind, 1e-5, 0});
      return std::vector{item(s.loc), item(s.scale)};
    };
    EXPECT_EQ(of(0), of(1000));
    EXPECT_EQ(of(0), of(NAN));
  }
}

TEST(ScaleSeries, AConstantSeriesStaysFinite) {
  const ScaledSeries s = scale_series(full({1, 4, 1}, 7), {}, {SeriesScaling::deviation, 1e-5, 0});
  EXPECT_EQ(to_host<float>(s.values), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_NEAR(item(s.scale), std::sqrt(1e-5), 1e-8);
}

TEST(ScaleSeriesErrors, WhatDoesNotFitIsRefused) {
  expect_error<ShapeError>(
      [] {
        scale_series(zeros({2, 3}), {}, {});
      },
      "scale_series: found f32 [2, 3], wanted floats [windows, time, series]");
  expect_error<ShapeError>(
      [] {
        scale_series(zeros({2, 3, 1}), zeros({2, 3}, DType::boolean), {});
      },
      "scale_series: observed bool [2, 3], wanted bool [2, 3, 1]");
}

}  // namespace
}  // namespace jogak
