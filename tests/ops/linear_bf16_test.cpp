// Layers whose weights are kept in bf16: as with the same weights widened, but for rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/linear.h"
#include "ops/linear_cross_entropy.h"
#include "ops/transpose.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

// Both sums round k = 50 products of size about 1: far below this, and no bf16 step is.
constexpr double kTolerance = 2e-5;

void expect_close(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(text_of(a.shape()), text_of(b.shape()));
  ASSERT_EQ(a.dtype(), b.dtype());
  const auto x = to_host<float>(a), y = to_host<float>(b);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], kTolerance) << i;
}

TEST(LinearBf16, BiasActivationAndValuesThatLieApart) {
  const Tensor w = randn({21, 50}, Rng(1), DType::bf16), wide = cast(w, DType::f32);
  const Tensor bias = randn({21}, Rng(2));
  const Tensor apart = transpose(randn({50, 6}, Rng(3)), 0, 1);  // [6, 50], columns side by side
  for (const Activation act : {Activation::none, Activation::gelu, Activation::silu}) {
    expect_close(linear(apart, w, bias, act), linear(apart, wide, bias, act));
    expect_close(linear(randn({2, 9, 50}, Rng(4)), w, {}, act),
                 linear(randn({2, 9, 50}, Rng(4)), wide, {}, act));
  }
  const Tensor transposed = transpose(randn({50, 21}, Rng(5), DType::bf16), 0, 1);
  expect_close(linear(apart, transposed), linear(apart, cast(transposed, DType::f32)));
}

TEST(LinearBf16, NoRowsAndNoInputs) {
  const Tensor none = linear(zeros({0, 5}), zeros({3, 5}, DType::bf16));
  EXPECT_EQ(text_of(none.shape()), text_of(Shape{0, 3}));
  const Tensor empty = linear(zeros({2, 0}), zeros({3, 0}, DType::bf16), full({3}, 1.5));
  EXPECT_EQ(to_host<float>(empty), std::vector<float>(6, 1.5f));
}

TEST(LinearBf16, GradientsReachTheValuesAndAreRefusedForTheWeights) {
  const Tensor w = randn({21, 50}, Rng(1), DType::bf16), wide = cast(w, DType::f32);
  const Tensor x = leaf(randn({3, 50}, Rng(2)));
  const auto grad_of = [&](const Tensor& weight) {
    return gradients(linear_cross_entropy(linear(x, weight), randn({7, 21}, Rng(3)),
                                          from_values<int64_t>({1, 6, 4}, {3})),
                     std::vector{x})[0];
  };
  expect_close(grad_of(w), grad_of(wide));
  const Tensor trained = leaf(w);
  EXPECT_EQ(error_of<Error>([&] {
              gradients(linear_cross_entropy(linear(x, trained), randn({7, 21}, Rng(3)),
                                             from_values<int64_t>({1, 6, 4}, {3})),
                        std::vector{trained});
            }),
            "linear: weights in bf16 are not trained; open them in f32");
}

TEST(LinearBf16, TheLossOfAHeadInBf16) {
  const Tensor x = leaf(randn({5, 50}, Rng(2)));
  const Tensor w = randn({33, 50}, Rng(1), DType::bf16), wide = cast(w, DType::f32);
  const Tensor targets = from_values<int64_t>({0, 32, -100, 7, 7}, {5});
  const Tensor loss = linear_cross_entropy(x, w, targets);
  const Tensor wanted = linear_cross_entropy(x, wide, targets);
  expect_close(loss, wanted);
  expect_close(gradients(loss, std::vector{x})[0], gradients(wanted, std::vector{x})[0]);
  EXPECT_EQ(error_of<Error>([&] { linear_cross_entropy(x, leaf(w), targets); }),
            "linear_cross_entropy: weights in bf16 are not trained; open them in f32");
}

}  // namespace
}  // namespace jogak
