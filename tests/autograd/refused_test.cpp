// What the tape refuses, in words, and what is left after a backward that failed.
#include <gtest/gtest.h>

#include "tests/autograd/toy.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Numbers = std::vector<double>;

Tensor floored(const Tensor& x) { return record_constant("floor", clone(x), {x}); }

TEST(Refused, AnOpWithoutDerivativeIsNamed) {
  const Tensor x = leaf(toy::numbers({1, 2}));
  expect_error<GradError>([&] { toy::grad(toy::scale(floored(toy::scale(x, 2)), 3), x); },
                          "floor: has no derivative, but a gradient was asked");
  // Beside the way to the loss it does no harm.
  const Tensor y = toy::scale(x, 2);
  floored(y);
  EXPECT_EQ(toy::grad(y, x), (Numbers{2, 2}));
}

TEST(Refused, ASavedTensorThatWasChangedInPlace) {
  const char* const message =
      "mul: a tensor of shape [2] that backward needs was changed in place after the forward pass";
  const auto after = [](const std::function<void(const Tensor&)>& change) {
    const Tensor x = leaf(toy::numbers({1, 2})), y = toy::scale(x, 3);
    const Tensor z = toy::mul(y, y);
    change(y);
    toy::grad(z, x);
  };
  expect_error<GradError>([&] { after([](const Tensor& y) { fill(y, 0); }); }, message);
  expect_error<GradError>([&] { after([](const Tensor& y) { scale_in_place(y, 2); }); }, message);
  expect_error<GradError>([&] { after([](const Tensor& y) { accumulate(y, y); }); }, message);
  expect_error<GradError>([&] { after([](const Tensor& y) { copy_into(y, clone(y)); }); }, message);
  // Through another view of the same memory it is the same.
  expect_error<GradError>([&] { after([](const Tensor& y) { fill(y.view({1}, {1}, 1), 0); }); },
                          message);
  after([](const Tensor& y) { fill(clone(y), 0); });  // a copy may change
}

TEST(Refused, ChangingWhatNobodySavedIsFine) {
  const Tensor x = leaf(toy::numbers({1, 2})), y = toy::scale(x, 3);
  fill(y, 0);
  EXPECT_EQ(toy::grad(y, x), (Numbers{3, 3}));
}

TEST(Refused, BackwardTwice) {
  const Tensor x = leaf(toy::numbers({1})), shared = toy::mul(x, x);
  const Tensor first = toy::sum(shared), second = toy::sum(toy::scale(shared, 2));
  gradients(first, std::vector{x});
  expect_error<GradError>([&] { gradients(first, std::vector{x}); },
                          "sum: its backward has run already; run forward again");
  // Another loss over the part that both share.
  expect_error<GradError>([&] { gradients(second, std::vector{x}); },
                          "mul: its backward has run already; run forward again");
  EXPECT_EQ(toy::grad(toy::mul(x, x), x), Numbers{2});  // forward again
}

TEST(Refused, WhatIsNotALossOrNotALeaf) {
  const Tensor x = leaf(toy::numbers({1, 2})), y = toy::scale(x, 2);
  expect_error<GradError>([&] { gradients(y, std::vector{x}); },
                          "gradients: the loss has shape [2], wanted one element");
  expect_error<GradError>(
      [&] { gradients(scalar(1, DType::f64), std::vector{x}); },
      "gradients: the loss does not depend on any leaf (or was made under NoGrad)");
  expect_error<GradError>([&] { gradients(toy::sum(y), std::vector{y}); },
                          "gradients: asked for a tensor that is not a leaf, shape [2]");
  expect_error<GradError>([&] { gradients(toy::sum(y), std::vector{toy::numbers({1})}); },
                          "gradients: asked for a tensor that is not a leaf, shape [1]");
  expect_error<GradError>([] { leaf(arange(0, 3)); },
                          "a leaf of i64 has no gradient: wanted a float type");
}

TEST(Refused, TheWrongNumberOfGradients) {
  const Tensor x = leaf(toy::numbers({1}));
  const Tensor y =
      record("bad", toy::numbers({1}), {x, x}, [](const Tensor& dy) { return Grads{dy}; });
  expect_error<GradError>([&] { toy::grad(y, x); }, "bad: backward gave 1 gradients for 2 inputs");
}

// y = 2x through an op whose backward throws `error` while `broken`.
template <class E>
Tensor fragile(const Tensor& x, const bool& broken) {
  return record("fragile", toy::product(x, full(x.shape(), 2, DType::f64)), {x},
                [&broken](const Tensor& dy) {
                  if (broken) fail<E>("stopped here");
                  return Grads{toy::product(dy, full(dy.shape(), 2, DType::f64))};
                });
}

TEST(AfterAFailure, TheNextPassIsAsIfNothingHadHappened) {
  CachingAllocator& memory = cpu_device().allocator();
  const Tensor x = leaf(toy::numbers({1, 2}));
  const size_t before = memory.stats().live_bytes;
  bool broken = true;
  expect_error<Stopped>(
      [&] { toy::grad(toy::mul(fragile<Stopped>(toy::mul(x, x), broken), x), x); }, "stopped here");
  EXPECT_TRUE(grad_enabled());
  EXPECT_EQ(memory.stats().live_bytes, before);
  // Errors of gradients say in which op they came up; what else is thrown passes unchanged.
  expect_error<GradError>([&] { toy::grad(fragile<GradError>(x, broken), x); },
                          "fragile: stopped here");
  expect_error<DeviceError>([&] { toy::grad(fragile<DeviceError>(x, broken), x); }, "stopped here");
  broken = false;
  EXPECT_EQ(toy::grad(toy::mul(fragile<Stopped>(toy::mul(x, x), broken), x), x),
            (Numbers{6, 24}));  // d 2x^3
  EXPECT_EQ(memory.stats().live_bytes, before);
}

TEST(AfterAFailure, TheSameGraphGoesOnOnlyWhereNothingIsMissing) {
  const Tensor x = leaf(toy::numbers({1}));
  bool broken = true;
  const Tensor loss = toy::sum(fragile<Stopped>(x, broken));
  error_of<Stopped>([&] { gradients(loss, std::vector{x}); });
  broken = false;  // sum has been walked: half a gradient must not come out
  expect_error<GradError>([&] { gradients(loss, std::vector{x}); },
                          "sum: its backward has run already; run forward again");
}

}  // namespace
}  // namespace jogak
