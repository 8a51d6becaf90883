#include "train/memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>

#include "base/parallel.h"
#include "ops/activation.h"
#include "ops/cross_entropy.h"
#include "ops/linear.h"
#include "tensor/counting_device.h"
#include "tests/support/temp_dir.h"
#include "tests/train/toy.h"

namespace jogak {
namespace {

using test::Toy;

TEST(CountingDevice, CountsWhatItNeverHas) {
  CountingDevice device;
  {
    const Tensor a = zeros({1 << 20}, DType::f32, device);
    const Tensor b = empty({1 << 20}, DType::f32, device);
    EXPECT_NE(a.raw(), b.raw());
    copy_into(b, a);
    accumulate(b, a);
    EXPECT_EQ(device.allocator().stats().live_bytes, size_t{8} << 20);
    EXPECT_EQ(item(full({}, 7, DType::f64, device)), 0);  // nothing is computed
    EXPECT_GE(device.kernels(), 4);
  }
  EXPECT_EQ(device.allocator().stats().live_bytes, 0u);
  EXPECT_EQ(device.held_bytes(), (size_t{8} << 20) + 512);
  EXPECT_EQ(device.peak_held_bytes(), (size_t{8} << 20) + 512);
  device.allocator().trim();
  EXPECT_EQ(device.held_bytes(), 0u);
}

TEST(CountingDevice, HundredsOfTerabytesAreNoTrouble) {
  CountingDevice device;
  std::vector<Tensor> many;
  for (int i = 0; i < 20; ++i) many.push_back(empty({int64_t{1} << 44}, DType::u8, device));
  EXPECT_EQ(device.peak_held_bytes(), size_t{20} << 44);
}

void two_steps(Device& device, test::ToyOptions options) {
  Toy toy(options, device);
  Optimizer optimizer(toy.params, {});
  SoloGroup solo;
  TrainStep step(toy.params, optimizer, solo);
  const TrainTask task = toy.task();
  std::vector<Pick> picks;
  for (int64_t i = 0; i < 8; ++i) picks.push_back({i, 0});
  jogak::Run run;
  run.training = true;
  for (int i = 0; i < 2; ++i) step(task, {picks, 2, 0.1, 1.0}, run);
}

TEST(CountingDevice, CountsWhatTheAllocatorOfARealRunHandsOut) {
  const test::ToyOptions options{.features = 300, .hidden = 500, .classes = 700};
  CountingDevice counting;
  two_steps(counting, options);
  const size_t predicted = counting.allocator().stats().peak_bytes;
  CachingAllocator& real = cpu_device().allocator();
  const size_t before = real.stats().live_bytes;
  real.reset_peak();
  two_steps(cpu_device(), options);
  const double measured = static_cast<double>(real.stats().peak_bytes - before);
  // The rest is scratch memory of kernels, which the counting device never runs.
  EXPECT_NEAR(static_cast<double>(predicted) / measured, 1, 0.05);
}

TEST(CountingDevice, IsWithin15PercentOfTheMeasuredGrowth) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps freed memory";
#endif
  const test::ToyOptions options{
      .features = 1500, .hidden = 2000, .classes = 4000, .length = 32, .examples = 8};
  CountingDevice counting;
  two_steps(counting, options);
  const auto predicted = static_cast<double>(counting.peak_held_bytes());
  cpu_device().allocator().trim();
  ::malloc_trim(0);
  {  // forget the peak of the tests before
    std::ofstream reset("/proc/self/clear_refs");
    reset << "5\n";
    reset.close();
    if (!reset) GTEST_SKIP() << "the kernel does not let the peak be reset";
  }
  const size_t before = resident_bytes();
  if (peak_resident_bytes() > before + (size_t{4} << 20))
    GTEST_SKIP() << "the kernel did not reset the peak";
  two_steps(cpu_device(), options);
  const double grown = static_cast<double>(peak_resident_bytes() - before);
  std::printf("predicted %.1f MiB, measured %.1f MiB\n", predicted / (1 << 20), grown / (1 << 20));
  EXPECT_NEAR(predicted / grown, 1, 0.15);
}

TEST(Memory, WhatIsFreeIsThereAndHasALimit) {
  EXPECT_GT(free_memory(), size_t{1} << 20);
  EXPECT_LT(free_memory(), size_t{1} << 50) << "some file of the system says how much there is";
}

TEST(Memory, ASteadyRunAsksTheSystemForNothing) {
  const TempDir dir;
  Toy toy({.dropout = true, .with_buffer = true});
  TrainOptions options = test::toy_training(dir / "run", 103);
  options.batch = 37;  // every batch has the same shape, whatever the order
  options.accumulate = 1;
  std::vector<uint64_t> asked(104);
  options.on_step = [&](int64_t step, const StepResult&) {
    asked[static_cast<size_t>(step)] = cpu_device().allocator().stats().system_allocations;
  };
  cpu_device().allocator().trim();
  train(toy.params, toy.task(), options);
  EXPECT_GT(asked[1], 0u);
  EXPECT_EQ(asked[103], asked[3]);
}

}  // namespace
}  // namespace jogak
