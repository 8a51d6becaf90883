#include "ops/linear_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/linear.h"
#include "tests/support/expect.h"
#include "tests/support/few_threads.h"

namespace jogak {
namespace {

Tensor ids_below(int64_t classes, int64_t count) {
  Rng rng(6);
  std::vector<int64_t> ids(static_cast<size_t>(count));
  for (int64_t& id : ids) id = static_cast<int64_t>(rng.below(static_cast<uint64_t>(classes)));
  return from_values(ids, {count});
}

void expect_near(const Tensor& a, const Tensor& b, double tolerance, const std::string& what) {
  const auto x = to_host<double>(a), y = to_host<double>(b);
  double top = 0;
  for (const double v : y) top = std::max(top, std::fabs(v));
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(x[i], y[i], tolerance * top) << what << " " << i;
}

void expect_twins(DType dtype, int64_t chunk, double tolerance) {
  const Tensor x = leaf(randn({37, 24}, Rng(1), dtype)), w = leaf(randn({50, 24}, Rng(2), dtype));
  const Tensor targets = ids_below(50, 37);
  const CrossEntropyOptions options{.label_smoothing = 0.1, .ignored = 3};
  const Tensor one = linear_cross_entropy(x, w, targets, options, chunk);
  const Tensor two = cross_entropy(linear(x, w), targets, options);
  expect_near(one, two, tolerance, "loss");
  const auto a = gradients(one, std::vector{x, w}), b = gradients(two, std::vector{x, w});
  expect_near(a[0], b[0], tolerance, text_of(dtype, " chunk ", chunk, " dx"));
  expect_near(a[1], b[1], tolerance, text_of(dtype, " chunk ", chunk, " dweight"));
}

TEST(LinearCrossEntropy, EqualsLinearThenCrossEntropy) {
  for (const int64_t chunk : {0, 1, 5, 36, 37, 100}) {
    expect_twins(DType::f64, chunk, 1e-13);
    expect_twins(DType::f32, chunk, 2e-6);
    // The composed twin rounds its logits to 8 bits on the way.
    expect_twins(DType::bf16, chunk, 2e-2);
  }
}

TEST(LinearCrossEntropy, TheLossDoesNotDependOnTheChunks) {
  const Tensor x = randn({37, 24}, Rng(1)), w = randn({50, 24}, Rng(2));
  const Tensor targets = ids_below(50, 37);
  const double whole = item(cross_entropy(linear(x, w), targets));
  for (const int64_t chunk : {0, 1, 7, 37})
    EXPECT_EQ(item(linear_cross_entropy(x, w, targets, {}, chunk)), whole) << chunk;
}

TEST(LinearCrossEntropy, TheGradientOfTheLossIsPassedOn) {
  const Tensor x = leaf(randn({5, 4}, Rng(1), DType::f64));
  const Tensor w = leaf(randn({6, 4}, Rng(2), DType::f64));
  const Tensor targets = ids_below(6, 5);
  const auto once = gradients(linear_cross_entropy(x, w, targets), std::vector{x, w});
  const Grads thrice =
      linear_cross_entropy(x, w, targets).history()->backward(std::vector{scalar(3, DType::f64)});
  for (size_t i = 0; i < 2; ++i) {
    const auto a = to_host<double>(once[i]), b = to_host<double>(thrice[i]);
    for (size_t e = 0; e < a.size(); ++e) EXPECT_DOUBLE_EQ(3 * a[e], b[e]);
  }
}

TEST(LinearCrossEntropy, AllLogitsNeverExist) {
  const test::FewThreads two;
  CachingAllocator& memory = cpu_device().allocator();
  const int64_t rows = 1024, classes = 16384, features = 8;
  const Tensor x = leaf(randn({rows, features}, Rng(1)));
  const Tensor w = leaf(randn({classes, features}, Rng(2)));
  const Tensor targets = ids_below(classes, rows);
  const size_t before = memory.stats().live_bytes;
  memory.reset_peak();
  gradients(linear_cross_entropy(x, w, targets, {}, 64), std::vector{x, w});
  EXPECT_LT(memory.stats().peak_bytes - before,
            static_cast<size_t>(rows * classes * 4) / 8);  // a sixteenth, and the gradients
}

TEST(LinearCrossEntropyErrors, WhatDoesNotFitIsRefused) {
  const Tensor x = zeros({2, 5}), w = zeros({3, 5}), targets = zeros({2}, DType::i64);
  expect_error<ShapeError>(
      [&] {
        linear_cross_entropy(x, zeros({3, 4}), targets);
      },
      "linear_cross_entropy: x [2, 5] and weight [3, 4] differ in their last axis");
  expect_error<ShapeError>([&] { linear_cross_entropy(x, w, zeros({3}, DType::i64)); },
                           "linear_cross_entropy: targets i64 [3], x [2, 5] wants i64 [2]");
  expect_error<UsageError>(
      [&] { linear_cross_entropy(x, w, targets, {.reduction = Reduction::none}); },
      "linear_cross_entropy: has one loss, wanted mean or sum");
  expect_error<Error>(
      [&] { linear_cross_entropy(x, w, full({2}, 3, DType::i64), {}, 1); },
      "cross_entropy: target 3 of row 0, wanted 0 to 2 (3 classes) or -100 (ignored)");
}

}  // namespace
}  // namespace jogak
