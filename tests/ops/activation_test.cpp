#include "ops/activation.h"

#include <cmath>

#include "autograd/autograd.h"
#include "tests/support/expect.h"
#include "tests/support/gradcheck.h"

namespace jogak {
namespace {

constexpr Activation kAll[] = {Activation::none,      Activation::relu, Activation::gelu,
                               Activation::gelu_tanh, Activation::silu, Activation::tanh};

std::vector<double> apply(const std::vector<double>& x, Activation kind, DType dtype) {
  const Shape shape{static_cast<int64_t>(x.size())};
  return to_host<double>(activate(cast(from_values(x, shape), dtype), kind));
}

TEST(Activation, TheNumbersOfTheTextbook) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto tanh = apply({1, -1}, Activation::gelu_tanh, dtype);
    EXPECT_NEAR(tanh[0], 0.841192, 5e-7);
    EXPECT_NEAR(tanh[1], -0.158808, 5e-7);
    const auto erf = apply({1, -1}, Activation::gelu, dtype);
    EXPECT_NEAR(erf[0], 0.841345, 5e-7);
    EXPECT_NEAR(erf[1], -0.158655, 5e-7);
    EXPECT_EQ(apply({-2, 0, 3}, Activation::relu, dtype), (std::vector<double>{0, 0, 3}));
    EXPECT_NEAR(apply({1}, Activation::silu, dtype)[0], 0.731059, 5e-7);
    EXPECT_NEAR(apply({0.5}, Activation::tanh, dtype)[0], 0.462117, 5e-7);
  }
}

TEST(Activation, GeluIsAccurateOverTheWholeRange) {
  std::vector<float> x;
  for (int i = -130000; i <= 130000; ++i) x.push_back(static_cast<float>(i) * 1e-4f);
  const auto y = to_host<float>(gelu(from_values(x, {static_cast<int64_t>(x.size())})));
  for (size_t i = 0; i < x.size(); ++i) {
    const double v = x[i], wanted = 0.5 * v * std::erfc(-v * M_SQRT1_2);
    // A few roundings of the result; in the tail also the rounding of x^2/2 in the exponent.
    ASSERT_NEAR(y[i], wanted, std::fabs(wanted) * (5e-7 + 4e-8 * v * v) + 1e-37) << v;
  }
}

// Three roundings of numbers near 1 where tanh is half of it: 1.5 units in the last place.
TEST(Activation, TanhIsAccurateOverTheWholeRange) {
  std::vector<float> x;
  for (int i = -110000; i <= 110000; ++i) x.push_back(static_cast<float>(i) * 1e-4f);
  for (float at = 0.5499f; at < 0.5501f; at = std::nextafter(at, 1.0f)) x.push_back(at);
  const auto y = to_host<float>(tanh(from_values(x, {static_cast<int64_t>(x.size())})));
  for (size_t i = 0; i < x.size(); ++i) {
    const double wanted = std::tanh(static_cast<double>(x[i]));
    ASSERT_NEAR(y[i], wanted, std::fabs(wanted) * 1.8e-7) << x[i];
  }
  for (const double far : {9.1, 10.0, 44.0, 89.0, 1e30, 3e38}) {
    EXPECT_EQ(item(tanh(full({1}, far))), 1);
    EXPECT_EQ(item(tanh(full({1}, -far))), -1);
  }
}

// Which of its two formulas a number takes is its own affair.
TEST(Activation, TanhOfANumberDoesNotDependOnItsNeighbours) {
  std::vector<float> x;
  for (int i = 0; i < 4096; ++i) x.push_back((i * 2654435761u >> 8) * 0x1p-23f - 1.0f);
  const auto y = to_host<float>(tanh(from_values(x, {4096})));
  for (size_t i = 0; i < x.size(); ++i) {
    const std::vector<float> alone(64, x[i]);
    ASSERT_EQ(to_host<float>(tanh(from_values(alone, {64})))[17], y[i]) << x[i];
  }
}

TEST(Activation, TanhIsAccurateNearZeroAndFlatFarFromIt) {
  for (const double x : {1e-30, 1e-6, 1e-3, 0.1, 2.0, 12.0, 3e38}) {
    for (const double sign : {1.0, -1.0}) {
      const Tensor in = leaf(full({1}, sign * x));
      const Tensor y = tanh(in);
      const double v = item(in), e = std::exp(-2 * std::fabs(v));
      EXPECT_NEAR(item(y) / std::tanh(v), 1, 5e-7) << v;
      const double slope = 4 * e / ((1 + e) * (1 + e));
      const double got = item(gradients(test::weighted_sum({{y}}), {{in}})[0]);
      EXPECT_NEAR(got / item(randn({1}, Rng(7, 0))), slope, 5e-6 * slope) << v;
    }
  }
}

TEST(Activation, LargeInputsGiveNoNan) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Activation kind : kAll) {
      if (kind == Activation::tanh) continue;  // goes to 1, not to x
      for (const double x : {1000.0, 3e19, 3e38}) {
        for (const double sign : {1.0, -1.0}) {
          const Tensor in = leaf(full({1}, sign * x, dtype));
          const Tensor y = activate(in, kind);
          const double rounded = item(in);
          const bool through = sign > 0 || kind == Activation::none;
          EXPECT_EQ(item(y), through ? rounded : 0) << x;
          if (kind == Activation::none) continue;
          const Tensor loss = test::weighted_sum({{y}});
          const double weight = item(randn({1}, Rng(7, 0), dtype));
          EXPECT_EQ(item(gradients(loss, {{in}})[0]), through ? weight : 0) << sign * x;
        }
      }
    }
  }
}

TEST(Activation, NanStaysNan) {
  for (const Activation kind : kAll)
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16})
      EXPECT_TRUE(std::isnan(apply({NAN}, kind, dtype)[0])) << static_cast<int>(kind);
}

TEST(Activation, NoneIsTheInputItself) {
  const Tensor x = leaf(full({2}, 3));
  EXPECT_EQ(activate(x, Activation::none).raw(), x.raw());
  EXPECT_EQ(activate(x, Activation::none).history(), x.history());
}

TEST(ActivationErrors, IntegersAreRefused) {
  expect_error<ShapeError>([] { relu(arange(0, 3)); },
                           "relu: found dtype i64, wanted a float type");
  expect_error<ShapeError>([] { gelu(arange(0, 3)); },
                           "gelu: found dtype i64, wanted a float type");
}

}  // namespace
}  // namespace jogak
