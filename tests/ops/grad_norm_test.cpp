#include "ops/grad_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "ops/update_numbers.h"
#include "tests/support/expect.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

struct Norms {
  std::vector<double> each;
  double total;
};

Norms norms_of(const std::vector<Tensor>& tensors) {
  const Tensor each = empty({static_cast<int64_t>(tensors.size())}, DType::f64);
  const Tensor total = empty({}, DType::f64);
  squared_norm(tensors, each, total);
  return {to_host<double>(each), item(total)};
}

TEST(GradNorm, SumsOfSquaresInDoubleForEveryLengthAndType) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16})
    for (const int64_t n : {0, 1, 5, 8, 31, 32, 33, 1000, 32768, 70001}) {
      const Tensor x = randn({n}, Rng(3, static_cast<uint64_t>(n)), dtype);
      long double wanted = 0;
      for (const double v : to_host<double>(x)) wanted += static_cast<long double>(v) * v;
      const Norms got = norms_of({x});
      EXPECT_NEAR(got.total, static_cast<double>(wanted), 1e-13 * static_cast<double>(wanted))
          << dtype << " " << n;
      EXPECT_EQ(got.each[0], got.total);
    }
}

TEST(GradNorm, SmallNumbersCountBesideLargeOnes) {  // in float they would vanish
  std::vector<float> values(100001, 0.01f);
  values[0] = 1000;
  const double wanted = 1e6 + 1e5 * double{0.01f} * 0.01f;
  EXPECT_NEAR(norms_of({from_values(values, {100001})}).total, wanted, 1e-6);
}

TEST(GradNorm, LargeFloatsDoNotOverflowAndBadOnesShow) {
  const float most = std::numeric_limits<float>::max();
  EXPECT_TRUE(std::isfinite(norms_of({full({1000}, most)}).total));
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")})
    for (const int64_t place : {0, 31, 32, 999}) {
      std::vector<float> values(1000, 1.0f);
      values[static_cast<size_t>(place)] = bad;
      const Norms got = norms_of({full({5}, 2), from_values(values, {1000})});
      EXPECT_FALSE(std::isfinite(got.total)) << bad << " at " << place;
      EXPECT_EQ(got.each[0], 20);
      EXPECT_FALSE(std::isfinite(got.each[1]));
    }
}

TEST(GradNorm, SameBitsForAnyThreadCountAndOnAWatchedDevice) {
  const std::vector<Shape> shapes = {{7}, {300, 400}, {}, {0}, {50000}};
  const auto make = [&](Device& device) {
    std::vector<Tensor> out;
    for (size_t i = 0; i < shapes.size(); ++i)
      out.push_back(randn(shapes[i], Rng(5, i), DType::f32, device));
    return out;
  };
  const int before = thread_count();
  std::vector<double> first;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    Norms got = norms_of(make(cpu_device()));
    got.each.push_back(got.total);
    if (threads == 1) first = got.each;
    EXPECT_EQ(got.each, first) << threads;
  }
  set_thread_count(before);
  test::GuardedDevice device;
  {
    const std::vector<Tensor> there = make(device);
    const Tensor results = zeros({6}, DType::f64, device);
    const int64_t waits = device.synchronizations();
    squared_norm(there, results.view({5}, {1}, 0), results.view({}, {}, 5));
    EXPECT_EQ(device.synchronizations(), waits);
    EXPECT_EQ(to_host<double>(results), first);
  }
}

std::vector<double> scale_of(double loss, double squares, double share, double limit,
                             Device& device = cpu_device()) {
  const Tensor numbers = update_numbers(device);
  set(numbers, {.scale = 7, .allowed = 7, .share = share, .limit = limit});
  update_scale(from_values(std::vector<double>{loss, squares}, {2}, device), numbers);
  const std::vector<double> out = to_host<double>(numbers);
  return {out[0], out[1]};
}

TEST(UpdateScale, ClipsTheMeanGradientAndForbidsWhatIsNotFinite) {
  using Both = std::vector<double>;
  EXPECT_EQ(scale_of(8, 144, 0.25, 0), (Both{0.25, 1}));  // off
  EXPECT_EQ(scale_of(8, 144, 0.25, 3), (Both{0.25, 1}));  // a norm of 3, no longer than that
  EXPECT_EQ(scale_of(8, 144, 0.25, 1.5), (Both{0.25 * 0.5, 1}));
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(scale_of(bad, 144, 0.25, 1)[1], 0);
    EXPECT_EQ(scale_of(8, bad, 0.25, 1)[1], 0);
  }
  test::GuardedDevice device;
  EXPECT_EQ(scale_of(8, 144, 0.25, 1.5, device), (Both{0.25 * 0.5, 1}));
}

TEST(UpdateScaleErrors, SumsAndNumbersAreOfOneKind) {
  expect_error<ShapeError>(
      [] { update_scale(zeros({3}, DType::f64), update_numbers(cpu_device())); },
      "update: found sums of f64 [3], wanted f64 [2]");
  expect_error<ShapeError>([] { update_scale(zeros({2}, DType::f64), zeros({2}, DType::f64)); },
                           "update: found numbers of f64 [2], wanted f64 [7]");
}

TEST(GradNormErrors, ResultsMustFit) {
  const Tensor x = full({3}, 1);
  expect_error<ShapeError>(
      [&] { squared_norm(std::span(&x, 1), empty({2}, DType::f64), empty({}, DType::f64)); },
      "squared_norm: 1 tensors, results of shape [2] and []");
}

}  // namespace
}  // namespace jogak
