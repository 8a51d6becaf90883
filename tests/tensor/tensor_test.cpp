#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/parallel.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Making, ValuesAreWhatWasAskedFor) {
  EXPECT_EQ(to_host<double>(full({2, 2}, 1.5)), (std::vector<double>(4, 1.5)));
  EXPECT_EQ(to_host<double>(zeros({3}, DType::bf16)), (std::vector<double>(3, 0.0)));
  EXPECT_EQ(to_host<int64_t>(arange(-1, 3)), (std::vector<int64_t>{-1, 0, 1, 2}));
  EXPECT_EQ(arange(5, 5).count(), 0);
  EXPECT_EQ(scalar(2, DType::f64).rank(), 0);
  EXPECT_EQ(item(scalar(2, DType::f64)), 2);
  EXPECT_EQ(to_host<float>(zeros({0, 4})).size(), 0u);
  EXPECT_FALSE(Tensor().defined());
}

TEST(Making, RowsAreAllAxesButTheLast) {
  EXPECT_EQ(zeros({2, 3, 5}).rows(), 6);
  EXPECT_EQ(zeros({5}).rows(), 1);
  EXPECT_EQ(zeros({}).rows(), 1);
  EXPECT_EQ(zeros({0, 5}).rows(), 0);
}

TEST(Making, SizesThatCannotBeAreRefused) {
  expect_error<ShapeError>(
      [] {
        empty({2, -1});
      },
      "a tensor of shape [2, -1]: sizes must not be negative");
  expect_error<ShapeError>(
      [] {
        empty({int64_t{1} << 40, int64_t{1} << 40});
      },
      "a tensor of shape [1099511627776, 1099511627776] has too many elements");
  expect_error<ShapeError>([] { empty({int64_t{1} << 62}); },
                           "a tensor of shape [4611686018427387904] has too many bytes");
  expect_error<DeviceError>([] { empty({int64_t{1} << 50}); },
                            "asked for 4503599627370496 bytes of memory at once");
  expect_error<ShapeError>(
      [] {
        from_values(std::vector<float>{1, 2, 3}, {2});
      },
      "found 3 values for shape [2]");
  expect_error<ShapeError>([] { arange(2, 1); }, "arange: from 2 to 1");
}

TEST(Making, NormalNumbersDependOnTheirPlaceAlone) {
  const int before = thread_count();
  const Rng rng(3, 4);
  std::vector<double> first;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    const auto x = to_host<double>(randn({10'001}, rng, DType::f64));
    if (first.empty()) first = x;
    EXPECT_EQ(x, first);
  }
  set_thread_count(before);
  Rng one_by_one(3, 4);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first[static_cast<size_t>(i)], one_by_one.normal());
  EXPECT_EQ(to_host<float>(randn({50}, rng))[49], static_cast<float>(first[49]));
}

TEST(Views, ShareMemory) {
  const Tensor x = from_values(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor column = x.view({2}, {3}, 1);
  EXPECT_FALSE(column.is_dense());
  EXPECT_EQ(column.storage(), x.storage());
  EXPECT_EQ(to_host<float>(column), (std::vector<float>{2, 5}));
  copy_into(column, full({2}, 0));
  EXPECT_EQ(to_host<float>(x), (std::vector<float>{1, 0, 3, 4, 0, 6}));
}

TEST(Views, AnElementOfSizeOneAxisMayStepAnyhow) {
  const Tensor x = full({4}, 1);
  EXPECT_EQ(to_host<float>(x.view({1, 4}, {77, 1}, 0)), std::vector<float>(4, 1.0f));
}

TEST(InPlace, FillScaleAndAccumulate) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16}) {
    const Tensor x = full({3}, 2, dtype), transposed = full({2, 3}, 1, dtype).view({3}, {2}, 1);
    scale_in_place(x, 1.5);
    accumulate(x, transposed);  // a part in any layout
    EXPECT_EQ(to_host<double>(x), std::vector<double>(3, 4.0)) << dtype;
    fill(x, -1);
    EXPECT_EQ(to_host<double>(x), std::vector<double>(3, -1.0)) << dtype;
  }
}

TEST(InPlace, WhatDoesNotFitIsRefused) {
  const Tensor x = full({2, 3}, 1), transposed = x.view({3, 2}, {1, 3}, 0);
  expect_error<ShapeError>([&] { fill(transposed, 0); },
                           "fill: wanted a dense tensor, got strides [1, 3]");
  expect_error<ShapeError>([&] { scale_in_place(transposed, 2); }, "scale: wanted a dense tensor");
  expect_error<ShapeError>(
      [&] {
        accumulate(transposed, zeros({3, 2}));
      },
      "accumulate: wanted a dense sum");
  expect_error<ShapeError>(
      [&] {
        accumulate(x, zeros({3, 2}));
      },
      "accumulate: f32 [3, 2] onto f32 [2, 3]");
  expect_error<ShapeError>(
      [&] {
        accumulate(x, zeros({2, 3}, DType::f64));
      },
      "accumulate: f64 [2, 3] onto f32 [2, 3]");
  expect_error<ShapeError>([&] { x.data<double>(); }, "found a tensor of f32, wanted f64");
  expect_error<ShapeError>([&] { item(x); }, "item: shape [2, 3], wanted one element");
}

// Every change in place counts, through whichever view; reading and making do not.
TEST(Versions, CountChangesInPlace) {
  const Tensor x = full({2, 3}, 1), row = x.view({3}, {1}, 3);
  const auto version = [&] { return x.storage()->version(); };
  uint64_t before = version();
  const auto counts = [&] {
    const bool more = version() > before;
    before = version();
    return more;
  };
  fill(x, 2);
  EXPECT_TRUE(counts());
  scale_in_place(x, 2);
  EXPECT_TRUE(counts());
  accumulate(x, zeros({2, 3}));
  EXPECT_TRUE(counts());
  copy_into(row, zeros({3}));
  EXPECT_TRUE(counts());
  fill(row, 3);
  EXPECT_TRUE(counts());
  clone(x);
  dense(row);
  cast(x, DType::f64);
  to_host<float>(x);
  copy_into(zeros({2, 3}), x);
  accumulate(zeros({2, 3}), x);
  EXPECT_FALSE(counts());
}

}  // namespace
}  // namespace jogak
