// Long graphs: how deep they may be, and what they hold.
#include <gtest/gtest.h>

#include "tests/autograd/toy.h"

namespace jogak {
namespace {

constexpr int kLong = 200'000;

Tensor chain(Tensor x, int length) {
  for (int i = 0; i < length; ++i) x = toy::scale(x, 1);
  return x;
}

size_t live() { return cpu_device().allocator().stats().live_bytes; }

TEST(LongChain, IsDestroyedWithoutDeepRecursion) {
  const Tensor x = leaf(toy::numbers({1}));
  const size_t before = live();
  chain(x, kLong);  // never walked
  EXPECT_EQ(live(), before);
}

TEST(LongChain, IsWalkedAndThenDestroyed) {
  const Tensor x = leaf(toy::numbers({1}));
  EXPECT_EQ(toy::grad(chain(x, kLong), x), std::vector<double>{1});
}

TEST(LongChain, OfDiamondsToo) {
  const Tensor x = leaf(toy::numbers({0}));
  Tensor y = x;
  for (int i = 0; i < kLong; ++i) y = toy::add(y, x);
  EXPECT_EQ(toy::grad(y, x), std::vector<double>{kLong + 1});
  for (int i = 0; i < kLong; ++i) y = toy::mul(y, y);  // every node is held twice by the next
}

TEST(LongChain, APartThatIsStillHeldStays) {
  const Tensor x = leaf(toy::numbers({3}));
  const Tensor middle = toy::mul(x, x);
  chain(middle, 1000);
  EXPECT_EQ(toy::grad(middle, x), std::vector<double>{6});
}

constexpr int64_t kCount = 1 << 17;
constexpr size_t kBytes = kCount * sizeof(double);  // 1 MiB

TEST(Memory, NothingIsHeldThatBackwardDoesNotNeed) {
  const Tensor x = leaf(zeros({kCount}, DType::f64));
  const size_t before = live();
  const Tensor y = chain(x, 50);  // scale saves nothing
  EXPECT_EQ(live() - before, kBytes);
}

TEST(Memory, GradientsAreFreedAsSoonAsTheyAreUsed) {
  const Tensor x = leaf(zeros({kCount}, DType::f64));
  const Tensor loss = toy::sum(chain(x, 50));
  CachingAllocator& memory = cpu_device().allocator();
  memory.reset_peak();
  const size_t before = live();
  gradients(loss, std::vector{x});
  EXPECT_LE(memory.stats().peak_bytes - before, 3 * kBytes);
}

TEST(Memory, WhatWasSavedGoesOnTheWayBack) {
  const Tensor x = leaf(zeros({kCount}, DType::f64)), factor = zeros({kCount}, DType::f64);
  Tensor y = x;
  for (int i = 0; i < 50; ++i) y = toy::mul(y, factor);  // saves every y
  const Tensor loss = toy::sum(y);
  y = Tensor();
  CachingAllocator& memory = cpu_device().allocator();
  memory.reset_peak();
  const size_t before = live();
  EXPECT_GE(before, 50 * kBytes);
  const auto grads = gradients(loss, std::vector{x});  // the loss still holds the graph
  EXPECT_LE(memory.stats().peak_bytes - before, 3 * kBytes);
  EXPECT_LE(live(), 4 * kBytes);  // x, factor, the gradient
}

}  // namespace
}  // namespace jogak
