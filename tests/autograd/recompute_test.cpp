#include "autograd/recompute.h"

#include <gtest/gtest.h>

#include "tests/autograd/toy.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Numbers = std::vector<double>;
using Inputs = std::span<const Tensor>;

// Counts its passes.
struct Counted {
  int first = 0, second = 0;
  void operator()(bool again) { ++(again ? second : first); }
};

TEST(Recompute, GivesTheSameGradientsFromASecondPass) {
  const Tensor x = leaf(toy::numbers({2, 3})), w = leaf(toy::numbers({5, 7}));
  Counted passes;
  const Tensor inputs[] = {toy::scale(x, 2)};
  const Tensor y = recompute("part", inputs, [&](Inputs in, bool again) {
    passes(again);
    return toy::mul(toy::mul(in[0], w), in[0]);  // 4 x^2 w
  });
  EXPECT_EQ(to_host<double>(y), (Numbers{80, 252}));
  EXPECT_EQ(passes.first + 10 * passes.second, 1);
  const auto grads = gradients(toy::sum(y), std::vector{x, w});
  EXPECT_EQ(to_host<double>(grads[0]), (Numbers{80, 168}));  // 8 x w
  EXPECT_EQ(to_host<double>(grads[1]), (Numbers{16, 36}));   // 4 x^2
  EXPECT_EQ(passes.first + 10 * passes.second, 11);
}

// Sums of doubles that depend on their order: a weight used twice in each of two parts, and once
// outside of them, must gather its gradients in the order of the plain tape.
TEST(Recompute, AddsUpInTheOrderOfThePlainTape) {
  const auto run = [](bool again) {
    const Tensor w = leaf(toy::numbers({0.1, 1e16, -3.7e-5}));
    Tensor x = toy::scale(w, 1.0 / 3);
    for (const double factor : {1.7, -0.3}) {
      const auto part = [w, factor](Inputs in, bool) {
        return toy::add(toy::scale(w, factor),
                        toy::add(toy::mul(in[0], w), toy::scale(w, factor / 7)));
      };
      const Tensor inputs[] = {x};
      x = again ? recompute("part", inputs, part) : part(inputs, false);
    }
    return toy::grad(toy::mul(x, w), w);
  };
  EXPECT_EQ(run(false), run(true));
}

TEST(Recompute, KeepsTheInputsAlone) {
  constexpr int64_t kMany = 1 << 15;
  const auto live = [] { return cpu_device().allocator().stats().live_bytes; };
  const auto held = [&](bool again) {
    const Tensor w = leaf(full({kMany}, 1.5, DType::f64));
    const size_t before = live();
    const auto part = [w](Inputs in, bool) {
      Tensor y = in[0];
      for (int i = 0; i < 8; ++i) y = toy::mul(y, w);
      return y;
    };
    const Tensor inputs[] = {w};
    const Tensor y = again ? recompute("part", inputs, part) : part(inputs, false);
    return (live() - before) / (kMany * sizeof(double));
  };
  EXPECT_EQ(held(false), 8u);
  EXPECT_EQ(held(true), 1u);  // the result
}

TEST(Recompute, APartWithoutLeavesIsAConstant) {
  const Tensor inputs[] = {toy::numbers({1})};
  const auto part = [](Inputs in, bool) { return toy::scale(in[0], 2); };
  EXPECT_EQ(recompute("part", inputs, part).history(), nullptr);
  // A weight inside makes it one that learns, though its input does not.
  const Tensor w = leaf(toy::numbers({3}));
  const Tensor y = recompute("part", inputs, [w](Inputs in, bool) { return toy::mul(in[0], w); });
  EXPECT_EQ(toy::grad(y, w), Numbers{1});
  // What the part does without recording stays a constant.
  const Tensor quiet = recompute("part", inputs, [w](Inputs in, bool) {
    const NoGrad inside;
    return toy::mul(in[0], w);
  });
  EXPECT_EQ(quiet.history(), nullptr);
}

TEST(Recompute, RunsOnceWhereNothingIsRecorded) {
  const Tensor x = leaf(toy::numbers({1}));
  const Tensor inputs[] = {x};
  Counted passes;
  const NoGrad quiet;
  const Tensor y = recompute("part", inputs, [&](Inputs in, bool again) {
    passes(again);
    return toy::scale(in[0], 2);
  });
  EXPECT_EQ(y.history(), nullptr);
  EXPECT_EQ(passes.first + 10 * passes.second, 1);
}

TEST(Recompute, PartsMayStandInParts) {
  const Tensor x = leaf(toy::numbers({3}));
  const Tensor inputs[] = {x};
  const Tensor y = recompute("outer", inputs, [](Inputs in, bool) {
    const Tensor squared[] = {toy::mul(in[0], in[0])};
    return recompute("inner", squared, [](Inputs s, bool) { return toy::mul(s[0], s[0]); });
  });
  EXPECT_EQ(toy::grad(y, x), Numbers{108});  // 4 x^3
}

TEST(Recompute, AnInputThatWasChangedIsNoticed) {
  const Tensor x = leaf(toy::numbers({1}));
  const Tensor inputs[] = {toy::scale(x, 2)};
  const Tensor y = recompute("part", inputs, [](Inputs in, bool) { return toy::scale(in[0], 3); });
  scale_in_place(inputs[0].detach(), 5);
  expect_error<GradError>([&] { toy::grad(y, x); },
                          "part: a tensor of shape [1] that backward needs was changed in "
                          "place after the forward pass");
}

TEST(Recompute, AGraphIsWalkedOnce) {
  const Tensor x = leaf(toy::numbers({1}));
  const Tensor inputs[] = {x};
  const Tensor y =
      toy::sum(recompute("part", inputs, [](Inputs in, bool) { return toy::scale(in[0], 3); }));
  EXPECT_EQ(to_host<double>(gradients(y, std::vector{x})[0]), Numbers{3});
  EXPECT_THROW(gradients(y, std::vector{x}), GradError);
}

TEST(Recompute, ManyPartsInARowAreWalkedAndDestroyed) {
  const Tensor x = leaf(toy::numbers({1}));
  const auto chain = [&] {
    Tensor y = x;
    for (int i = 0; i < 50'000; ++i) {
      const Tensor inputs[] = {y};
      y = recompute("part", inputs, [](Inputs in, bool) { return toy::scale(in[0], 1); });
    }
    return y;
  };
  EXPECT_EQ(toy::grad(chain(), x), Numbers{1});
  chain();  // never walked
}

}  // namespace
}  // namespace jogak
