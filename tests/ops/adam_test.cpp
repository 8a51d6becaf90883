#include "ops/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "autograd/autograd.h"
#include "base/parallel.h"
#include "ops/sgd.h"
#include "tests/support/expect.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

AdamTensor random_case(const Shape& shape, DType dtype, double decay,
                       Device& device = cpu_device()) {
  const Tensor v = randn(shape, Rng(1, 4), dtype);  // squared below: v is never negative
  std::vector<double> squares = to_host<double>(v);
  for (double& x : squares) x *= x;
  return {randn(shape, Rng(1, 1), dtype, device), randn(shape, Rng(1, 2), dtype, device),
          randn(shape, Rng(1, 3), dtype, device),
          to_device(cast(from_values(squares, shape), dtype), device), decay};
}

// The rule of the header, one element at a time in double.
struct Plain {
  double w, m, v;
  void step(double grad, double decay, const AdamRule& r) {
    const double g = r.grad_scale * grad + (r.decoupled ? 0 : decay * w);
    m = r.beta1 * m + (1 - r.beta1) * g;
    v = r.beta2 * v + (1 - r.beta2) * g * g;
    const double mh = m / (1 - std::pow(r.beta1, r.step)), vh = v / (1 - std::pow(r.beta2, r.step));
    w = (r.decoupled ? 1 - r.rate * decay : 1) * w - r.rate * mh / (std::sqrt(vh) + r.eps);
  }
};

TEST(Adam, FollowsTheRuleForEveryLengthAndType) {
  for (const DType dtype : {DType::f32, DType::f64})
    for (const bool decoupled : {true, false})
      for (const int64_t n : {0, 1, 7, 16, 17, 63, 1000, 16384, 40001}) {
        const AdamTensor t = random_case({n}, dtype, 0.1);
        const AdamRule rule{.rate = 1e-2,
                            .beta1 = 0.9,
                            .beta2 = 0.98,
                            .eps = 1e-9,
                            .grad_scale = 0.25,
                            .step = 3,
                            .decoupled = decoupled};
        const auto w = to_host<double>(t.weight), g = to_host<double>(t.grad);
        const auto m = to_host<double>(t.m), v = to_host<double>(t.v);
        adam_step(std::span(&t, 1), rule);
        const auto w1 = to_host<double>(t.weight), m1 = to_host<double>(t.m),
                   v1 = to_host<double>(t.v);
        const double near = dtype == DType::f64 ? 1e-14 : 1e-6;
        for (size_t i = 0; i < w.size(); ++i) {
          Plain p{w[i], m[i], v[i]};
          p.step(g[i], 0.1, rule);
          ASSERT_NEAR(w1[i], p.w, near * (1 + std::fabs(p.w))) << dtype << " " << n << " " << i;
          ASSERT_NEAR(m1[i], p.m, near * (1 + std::fabs(p.m)));
          ASSERT_NEAR(v1[i], p.v, near * (1 + std::fabs(p.v)));
        }
      }
}

TEST(Adam, SeveralTensorsAtOnceAreSteppedAsOneByOne) {
  const AdamRule rule{.rate = 1e-3, .step = 1};
  std::vector<AdamTensor> together, alone;
  for (const Shape& shape : {Shape{3, 5}, Shape{20000}, Shape{}, Shape{0, 4}}) {
    together.push_back(random_case(shape, DType::f32, 0.1));
    alone.push_back(random_case(shape, DType::f32, 0.1));
  }
  adam_step(together, rule);
  for (const AdamTensor& t : alone) adam_step(std::span(&t, 1), rule);
  for (size_t i = 0; i < alone.size(); ++i)
    EXPECT_EQ(to_host<float>(together[i].weight), to_host<float>(alone[i].weight)) << i;
}

TEST(Adam, SameBitsForAnyThreadCountAndOnAWatchedDevice) {
  const AdamRule rule{.rate = 1e-2, .grad_scale = 0.5, .step = 2};
  const int before = thread_count();
  std::vector<float> first;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    const AdamTensor t = random_case({3, 30001}, DType::f32, 0.1);
    adam_step(std::span(&t, 1), rule);
    if (threads == 1) first = to_host<float>(t.weight);
    EXPECT_EQ(to_host<float>(t.weight), first) << threads;
  }
  set_thread_count(before);
  test::GuardedDevice device;
  const AdamTensor t = random_case({3, 30001}, DType::f32, 0.1, device);
  const int64_t waits = device.synchronizations();
  adam_step(std::span(&t, 1), rule);
  EXPECT_EQ(device.synchronizations(), waits);
  EXPECT_EQ(to_host<float>(t.weight), first);
}

// By numbers that lie on the device, and not at all where they forbid it.
TEST(AdamAndSgd, FollowNumbersOnTheDevice) {
  const auto there = [](UpdateNumbers values) {
    const Tensor out = update_numbers(cpu_device());
    set(out, values);
    return out;
  };
  const AdamRule third{.rate = 0.1, .grad_scale = 0.25, .step = 3};
  UpdateNumbers forbidden = numbers_of(third);
  forbidden.allowed = 0;
  const AdamTensor by_host = random_case({33}, DType::f32, 0.1),
                   by_device = random_case({33}, DType::f32, 0.1);
  adam_step(std::span(&by_host, 1), third);
  adam_step(std::span(&by_device, 1), {.rate = 7, .step = 7, .numbers = there(numbers_of(third))});
  const SgdTensor one{by_host.weight, by_host.grad, by_host.m, 0.1},
      two{by_device.weight, by_device.grad, by_device.m, 0.1};
  sgd_step(std::span(&one, 1), {.rate = 0.1, .momentum = 0.9, .grad_scale = 0.5});
  sgd_step(std::span(&two, 1),
           {.rate = 7, .momentum = 0.9, .numbers = there({.scale = 0.5, .rate = 0.1})});
  const auto all = [](const AdamTensor& t) {
    return std::vector{to_host<float>(t.weight), to_host<float>(t.m), to_host<float>(t.v)};
  };
  EXPECT_EQ(all(by_device), all(by_host));
  adam_step(std::span(&by_device, 1), {.numbers = there(forbidden)});
  sgd_step(std::span(&two, 1), {.momentum = 0.9, .numbers = there(forbidden)});
  EXPECT_EQ(all(by_device), all(by_host));
}

TEST(Adam, AGradientInAnotherLayoutCounts) {
  const AdamTensor packed = random_case({6, 4}, DType::f64, 0);
  AdamTensor transposed = random_case({6, 4}, DType::f64, 0);
  const Tensor base = empty({4, 6}, DType::f64);
  transposed.grad = base.view({6, 4}, {1, 6}, 0);
  copy_into(transposed.grad, packed.grad);
  adam_step(std::span(&packed, 1), {.rate = 0.1});
  adam_step(std::span(&transposed, 1), {.rate = 0.1});
  EXPECT_EQ(to_host<double>(transposed.weight), to_host<double>(packed.weight));
}

TEST(Adam, AutogradNoticesThatTheWeightChanged) {
  AdamTensor t = random_case({4}, DType::f32, 0);
  const Saved saved(t.weight);
  adam_step(std::span(&t, 1), {.rate = 0.1});
  error_of<GradError>([&] { saved.get(); });
}

TEST(AdamErrors, WhatDoesNotFitIsRefused) {
  AdamTensor t = random_case({2, 3}, DType::f32, 0);
  t.grad = randn({3, 2}, Rng(1));
  expect_error<ShapeError>([&] { adam_step(std::span(&t, 1), {}); },
                           "adam: found f32 [3, 2] beside a weight of f32 [2, 3]");
  t = random_case({2}, DType::bf16, 0);
  expect_error<ShapeError>([&] { adam_step(std::span(&t, 1), {}); },
                           "adam: found a weight of bf16, wanted f32 or f64");
  t = random_case({2}, DType::f32, 0);
  expect_error<Error>([&] { adam_step(std::span(&t, 1), {.step = 0}); },
                      "adam: found step 0, wanted 1 or more");
}

TEST(Sgd, FollowsTheRuleWithAndWithoutMomentum) {
  for (const bool with : {true, false})
    for (const int64_t n : {1, 15, 33, 20000}) {
      const Tensor w = randn({n}, Rng(2, 1), DType::f64), g = randn({n}, Rng(2, 2), DType::f64);
      const Tensor m = with ? randn({n}, Rng(2, 3), DType::f64) : Tensor();
      const auto w0 = to_host<double>(w), g0 = to_host<double>(g);
      const auto m0 = with ? to_host<double>(m) : std::vector<double>(w0.size(), 0.0);
      const SgdTensor t{w, g, m, 0.01};
      sgd_step(std::span(&t, 1), {.rate = 0.1, .momentum = 0.9, .grad_scale = 0.5});
      const auto w1 = to_host<double>(w), m1 = with ? to_host<double>(m) : m0;
      for (size_t i = 0; i < w0.size(); ++i) {
        const double step = (with ? 0.9 * m0[i] : 0) + 0.5 * g0[i] + 0.01 * w0[i];
        ASSERT_NEAR(w1[i], w0[i] - 0.1 * step, 1e-14) << n << " " << i;
        ASSERT_NEAR(m1[i], with ? step : 0, 1e-14);
      }
    }
}

}  // namespace
}  // namespace jogak
