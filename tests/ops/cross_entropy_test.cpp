#include "ops/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/softmax.h"
#include "tests/support/expect.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

Tensor ids(std::vector<int64_t> v) {
  const auto n = static_cast<int64_t>(v.size());
  return from_values(v, {n});
}

Tensor log_of(std::vector<double> p) {
  const auto n = static_cast<int64_t>(p.size());
  for (double& v : p) v = std::log(v);
  return from_values(p, {1, n});
}

TEST(CrossEntropy, TheNumbersOfTheTextbook) {
  const double loss = item(cross_entropy(log_of({0.2, 0.7, 0.1}), ids({1})));
  EXPECT_NEAR(loss, 0.356675, 5e-7);
  EXPECT_NEAR(std::exp(loss), 1.428571, 5e-7);  // perplexity, 1 / 0.7
}

TEST(CrossEntropy, GradientIsSoftmaxMinusTarget) {
  const Tensor x = leaf(from_values(std::vector<double>{2, 1, 0.1}, {1, 3}));
  const auto g = to_host<double>(gradients(cross_entropy(x, ids({0})), std::vector{x})[0]);
  EXPECT_NEAR(g[0], 0.659001 - 1, 5e-7);
  EXPECT_NEAR(g[1], 0.242433, 5e-7);
  EXPECT_NEAR(g[2], 0.098566, 5e-7);
}

TEST(CrossEntropy, LargeLogitsDoNotOverflow) {
  const Tensor x = from_values(std::vector<float>{1e4f, 0, -1e4f, 1e4f}, {2, 2});
  const auto loss = to_host<float>(cross_entropy(x, ids({1, 1}), {.reduction = Reduction::none}));
  EXPECT_EQ(loss, (std::vector<float>{1e4f, 0}));
}

TEST(CrossEntropy, ABlockThatIsMaskedAltogetherAddsNothing) {
  std::vector<float> row(5000, -INFINITY);  // the largest value comes blocks later
  row[4500] = 1;
  row[4600] = 1;
  const Tensor loss = cross_entropy(from_values(row, {1, 5000}), ids({4600}));
  EXPECT_NEAR(item(loss), std::log(2.0), 1e-6);
}

TEST(CrossEntropy, NanIsNotHidden) {
  for (const size_t place : {0, 3, 17, 40}) {
    std::vector<float> row(41, 1.0f);
    row[place] = NAN;
    const Tensor x = leaf(from_values(row, {1, 41}));
    const Tensor loss = cross_entropy(x, ids({5}));
    EXPECT_TRUE(std::isnan(item(loss))) << place;
    for (const float g : to_host<float>(gradients(loss, std::vector{x})[0]))
      EXPECT_TRUE(std::isnan(g)) << place;
  }
}

TEST(CrossEntropy, TheMeanIsOverWhatIsNotIgnored) {
  const Tensor x = randn({3, 7}, Rng(5), DType::f64);
  const Tensor two = x.view({2, 7}, {7, 1}, 0);
  EXPECT_EQ(item(cross_entropy(x, ids({1, 2, -100}))), item(cross_entropy(two, ids({1, 2}))));
  EXPECT_EQ(item(cross_entropy(x, ids({-100, -100, -100}))), 0);
}

TEST(CrossEntropy, LossOfHalfPrecisionIsFloat) {
  const Tensor x = randn({3, 7}, Rng(5), DType::bf16);
  EXPECT_EQ(cross_entropy(x, ids({1, 2, 3})).dtype(), DType::f32);
}

TEST(CrossEntropy, RandomShapesAgreeWithLogOfSoftmax) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    const auto rows = 1 + static_cast<int64_t>(rng.below(9)),
               cols = 1 + static_cast<int64_t>(rng.below(90));
    const Tensor x = randn({rows, cols}, rng.split(static_cast<uint64_t>(round)), DType::f64);
    std::vector<int64_t> targets(static_cast<size_t>(rows));
    for (int64_t& t : targets) t = static_cast<int64_t>(rng.below(static_cast<uint64_t>(cols)));
    const auto got = to_host<double>(
        cross_entropy(x, ids(targets), {.label_smoothing = 0.1, .reduction = Reduction::none}));
    const auto p = to_host<double>(softmax(x));
    for (int64_t r = 0; r < rows; ++r) {
      double spread = 0;
      for (int64_t i = 0; i < cols; ++i) spread -= std::log(p[static_cast<size_t>(r * cols + i)]);
      const auto at = static_cast<size_t>(r * cols + targets[static_cast<size_t>(r)]);
      const double wanted = -0.9 * std::log(p[at]) + 0.1 * spread / static_cast<double>(cols);
      ASSERT_NEAR(got[static_cast<size_t>(r)], wanted, 1e-11) << text_of(x.shape());
    }
  }
}

// Logits as a model makes them: values of their own, between a leaf and the loss.
Tensor logits_of(const Tensor& x) {
  return record("logits", clone(x), {x}, [](const Tensor& dy) { return Grads{dy}; });
}

size_t peak_of(bool reuse) {
  CachingAllocator& memory = cpu_device().allocator();
  const size_t before = memory.stats().live_bytes;
  memory.reset_peak();
  const Tensor x = leaf(zeros({64, 50257}));
  const Tensor targets = zeros({64}, DType::i64);
  const Tensor loss = cross_entropy(logits_of(x), targets, {.reuse_logits = reuse});
  gradients(loss, std::vector{x});
  return memory.stats().peak_bytes - before;
}

TEST(CrossEntropy, AFiftyThousandWordVocabularyDoesNotDoubleMemory) {
  const size_t logits = 64 * 50257 * 4, small = 256 << 10;
  EXPECT_LT(peak_of(true), 2 * logits + small);   // the leaf and the logits
  EXPECT_LT(peak_of(false), 3 * logits + small);  // the gradient, and nothing else of that size
}

TEST(CrossEntropy, ReusedLogitsBecomeTheirGradient) {
  const Tensor values = randn({4, 9}, Rng(2)), targets = ids({1, 8, -100, 0});
  const Tensor x = leaf(values), y = logits_of(x);
  const auto kept = to_host<float>(gradients(cross_entropy(x, targets), std::vector{x})[0]);
  const Tensor reused =
      gradients(cross_entropy(y, targets, {.reuse_logits = true}), std::vector{x})[0];
  EXPECT_EQ(to_host<float>(reused), kept);
  EXPECT_EQ(to_host<float>(y), kept);
}

TEST(CrossEntropy, WhoSavedTheLogitsNoticesTheirReuse) {
  const Tensor x = leaf(randn({2, 3}, Rng(2)));
  const Tensor y = softmax(x);  // keeps y for its own backward
  const Tensor loss = cross_entropy(y, ids({0, 1}), {.reuse_logits = true});
  const std::string message = error_of<GradError>([&] { gradients(loss, std::vector{x}); });
  EXPECT_NE(message.find("changed in place"), std::string::npos) << message;
}

TEST(CrossEntropyErrors, ATargetOutOfRangeIsNamed) {
  const Tensor x = zeros({2, 5});
  expect_error<Error>(
      [&] {
        cross_entropy(x, ids({1, 5}));
      },
      "cross_entropy: target 5 of row 1, wanted 0 to 4 (5 classes) or -100 (ignored)");
  expect_error<Error>(
      [&] {
        cross_entropy(x, ids({-1, 0}));
      },
      "cross_entropy: target -1 of row 0, wanted 0 to 4 (5 classes) or -100 (ignored)");
}

TEST(CrossEntropyErrors, OnADeviceTheErrorComesWithTheWait) {
  test::GuardedDevice device;
  {
    const Tensor x = zeros({1, 5}, DType::f32, device), targets = full({1}, 9, DType::i64, device);
    const Tensor loss = cross_entropy(x, targets);
    error_of<Error>([&] { item(loss); });
  }
}

TEST(CrossEntropyErrors, WhatDoesNotFitIsRefused) {
  const Tensor x = zeros({2, 5});
  expect_error<ShapeError>(
      [&] {
        cross_entropy(x, ids({1, 2, 3}));
      },
      "cross_entropy: targets i64 [3], logits [2, 5] want i64 [2]");
  expect_error<ShapeError>([&] { cross_entropy(x, zeros({2})); },
                           "cross_entropy: targets f32 [2], logits [2, 5] want i64 [2]");
  expect_error<ShapeError>(
      [&] {
        cross_entropy(zeros({2, 0}), ids({1, 2}));
      },
      "cross_entropy: logits of shape [2, 0] hold no class");
  expect_error<UsageError>(
      [&] {
        cross_entropy(x, ids({1, 2}), {.label_smoothing = 1.5});
      },
      "cross_entropy: label smoothing 1.5, wanted 0 to 1");
}

}  // namespace
}  // namespace jogak
