#include "ops/swiglu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "ops/activation.h"
#include "ops/mul.h"
#include "tests/support/expect.h"
#include "tests/support/gradcheck.h"

namespace jogak {
namespace {

std::vector<Tensor> fused(std::span<const Tensor> in) { return {swiglu(in[0], in[1])}; }
std::vector<Tensor> composed(std::span<const Tensor> in) { return {mul(silu(in[0]), in[1])}; }

TEST(Swiglu, AgreesWithItsComposedTwin) {
  for (const int64_t n : {1, 15, 16, 33, 1000, 20001}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const double near = dtype == DType::f64 ? 1e-15 : 5e-7;
      const std::vector<Tensor> in = {randn({n}, Rng(3, 1), dtype), randn({n}, Rng(3, 2), dtype)};
      std::vector<Tensor> got = test::gradients_of(fused, in);
      std::vector<Tensor> wanted = test::gradients_of(composed, in);
      got.push_back(fused(in)[0]);
      wanted.push_back(composed(in)[0]);
      for (size_t t = 0; t < got.size(); ++t) {
        const auto g = to_host<double>(got[t]), w = to_host<double>(wanted[t]);
        for (size_t i = 0; i < g.size(); ++i)
          ASSERT_NEAR(g[i], w[i], near * (1 + std::fabs(w[i]))) << dtype << " " << n << " " << i;
      }
    }
  }
}

TEST(Swiglu, PackedRowsGiveTheSameBits) {
  const Tensor gate = randn({3, 37}, Rng(1)), up = randn({3, 37}, Rng(2)), both = empty({3, 74});
  copy_into(both.view({3, 37}, {74, 1}, 0), gate);
  copy_into(both.view({3, 37}, {74, 1}, 37), up);
  EXPECT_EQ(to_host<float>(swiglu_packed(both)), to_host<float>(swiglu(gate, up)));
}

TEST(Swiglu, LargeGatesGiveNoNan) {
  for (const double x : {-3e38, -1000.0, 1000.0, 3e38}) {
    const std::vector<Tensor> in = {full({3}, x), full({3}, 0.5)};
    for (const float y : to_host<float>(fused(in)[0]))
      EXPECT_EQ(y, x > 0 ? static_cast<float>(x) / 2 : 0);
    const auto weight = to_host<float>(randn({3}, Rng(7, 0)));
    const auto d_gate = to_host<float>(test::gradients_of(fused, in)[0]);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(d_gate[i], x > 0 ? weight[i] / 2 : 0) << x;
  }
}

TEST(Swiglu, ANanIsNotHidden) {
  const Tensor nan = full({2}, NAN), one = full({2}, 1);
  for (const auto& in : {std::vector{nan, one}, std::vector{one, nan}})
    for (const float y : to_host<float>(fused(in)[0])) EXPECT_TRUE(std::isnan(y));
}

TEST(SwigluErrors, WhatDoesNotFitIsRefused) {
  expect_error<ShapeError>(
      [] {
        swiglu(zeros({2, 3}), zeros({3}));
      },
      "swiglu: found a gate of f32 [2, 3] beside f32 [3]");
  expect_error<ShapeError>([] { swiglu(zeros({3}), zeros({3}, DType::f64)); },
                           "swiglu: found a gate of f32 [3] beside f64 [3]");
  expect_error<ShapeError>([] { swiglu(arange(0, 3), arange(0, 3)); },
                           "swiglu: found dtype i64, wanted a float type");
  expect_error<ShapeError>(
      [] {
        swiglu_packed(zeros({2, 3}));
      },
      "swiglu_packed: [2, 3] does not hold two halves side by side");
}

}  // namespace
}  // namespace jogak
