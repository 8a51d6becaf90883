// The CPU's memory, and copies to and from a device whose memory the host may not touch.
#include "tensor/device.h"

#include <gtest/gtest.h>

#include "tensor/counting_device.h"
#include "tensor/tensor.h"
#include "tests/support/expect.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

using test::GuardedDevice;

TEST(CpuMemory, LiesOn64ByteBorders) {
  std::vector<Tensor> held;
  for (const int64_t n : {0, 1, 3, 511, 512, 513, 65'537, 3'000'001}) {
    held.push_back(empty({n}, DType::u8));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(held.back().raw()) % kAlignment, 0u) << n;
  }
}

TEST(CpuMemory, ASteadyLoopAsksTheSystemForNothing) {
  CachingAllocator& memory = cpu_device().allocator();
  const auto step = [](int64_t n) {
    const Tensor x = full({n, 100}, 1), y = clone(x), z = cast(y, DType::f64);
    accumulate(x, y);
    return to_host<float>(cast(z, DType::bf16)).size();
  };
  for (const int64_t n : {100, 90, 3000}) step(n);
  const MemoryStats before = memory.stats();
  for (int i = 0; i < 20; ++i)
    for (const int64_t n : {100, 90, 3000}) step(n);
  EXPECT_EQ(memory.stats().system_allocations, before.system_allocations);
  EXPECT_EQ(memory.stats().live_bytes, before.live_bytes);
}

TEST(CpuMemory, LivePeakAndTrim) {
  CachingAllocator& memory = cpu_device().allocator();
  constexpr int64_t kCount = 4 << 20;
  memory.reset_peak();
  const size_t before = memory.stats().live_bytes;
  {
    const Tensor x = empty({kCount}, DType::u8);
    { const Tensor y = empty({kCount}, DType::u8); }
    EXPECT_EQ(memory.stats().live_bytes - before, size_t{kCount});
  }
  EXPECT_EQ(memory.stats().live_bytes, before);
  EXPECT_EQ(memory.stats().peak_bytes - before, size_t{2 * kCount});
  EXPECT_GE(memory.stats().cached_bytes, size_t{2 * kCount});
  memory.trim();
  EXPECT_EQ(memory.stats().cached_bytes, 0u);
  EXPECT_EQ(memory.stats().live_bytes, before);
}

TEST(CpuMemory, WhatOthersOwnIsNotFreed) {
  const auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  const size_t before = cpu_device().allocator().stats().live_bytes;
  {
    const auto storage = std::make_shared<Storage>(
        cpu_device(), 12, reinterpret_cast<const std::byte*>(owner->data()), owner);
    EXPECT_TRUE(storage->borrowed());
    const Tensor x(storage, {3}, {1}, 0, DType::f32);
    EXPECT_EQ(to_host<float>(x), *owner);
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(cpu_device().allocator().stats().live_bytes, before);
}

TEST(Devices, ValuesGoThereAndBackInEveryLayout) {
  GuardedDevice device;
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i64, DType::boolean}) {
    const Tensor x = cast(from_values(std::vector<float>{1, 0, 1, 1, 0, 0}, {2, 3}), dtype);
    const Tensor there = to_device(x, device);
    EXPECT_EQ(&there.device(), &device);
    EXPECT_EQ(to_host<float>(there), to_host<float>(x));
    const Tensor transposed = x.view({3, 2}, {1, 3}, 0), row = x.view({3}, {1}, 3);
    EXPECT_EQ(to_host<float>(to_device(transposed, device)), to_host<float>(transposed));
    EXPECT_EQ(to_host<float>(to_device(row, device)), to_host<float>(row));
    EXPECT_EQ(to_host<float>(there.view({3, 2}, {1, 3}, 0)), to_host<float>(transposed));
    EXPECT_EQ(to_host<float>(there.view({3}, {1}, 3)), to_host<float>(row));
  }
  EXPECT_EQ(to_host<float>(to_device(zeros({0, 3}), device)).size(), 0u);
}

TEST(Devices, OnlyReadingAndWritingWait) {
  GuardedDevice device;
  const Tensor x = from_values(std::vector<float>{1, 2, 3, 4}, {2, 2}, device);
  const int64_t waits = device.synchronizations();
  const Tensor y = clone(x.view({2, 2}, {1, 2}, 0));
  accumulate(y, x);
  scale_in_place(y, 10);
  const Tensor z = cast(y, DType::f64), f = full({3}, 2, DType::f32, device);
  const Tensor r = randn({5}, Rng(1), DType::f32, device), a = arange(0, 3, device);
  EXPECT_EQ(device.synchronizations(), waits);
  EXPECT_GT(device.waiting(), 0u);
  EXPECT_EQ(to_host<double>(z), (std::vector<double>{20, 50, 50, 80}));
  EXPECT_EQ(device.waiting(), 0u);
  EXPECT_EQ(to_host<float>(f), std::vector<float>(3, 2.0f));
  EXPECT_EQ(to_host<float>(r), to_host<float>(randn({5}, Rng(1))));
  EXPECT_EQ(to_host<int64_t>(a), (std::vector<int64_t>{0, 1, 2}));
}

TEST(Devices, EventsTellWhetherTheWorkIsDone) {
  GuardedDevice device;
  const Tensor x = full({2}, 1, DType::f32, device);
  const auto event = device.record_event();
  EXPECT_FALSE(event->done());
  event->wait();
  EXPECT_TRUE(event->done());
  EXPECT_TRUE(cpu_device().record_event()->done());
}

// What is recorded reads its inputs when it is started, and nobody else is given its memory.
TEST(Devices, RecordedWorkIsDoneAgainOnTheSameMemory) {
  GuardedDevice device;
  const Tensor in = full({3}, 1, DType::f32, device);
  Tensor out;
  const auto work = device.record([&] {
    const Tensor once = clone(in);
    accumulate(once, in);
    out = clone(once);
  });
  ASSERT_NE(work, nullptr);
  for (const double value : {3.0, 5.0}) {
    fill(in, value);
    work->start();
    const Tensor other = full({3}, 7, DType::f32, device);
    EXPECT_EQ(to_host<float>(out), std::vector<float>(3, static_cast<float>(2 * value)));
    EXPECT_EQ(to_host<float>(other), std::vector<float>(3, 7.0f));
  }
  EXPECT_EQ(device.starts(), 2);
  out = {};
}

TEST(Devices, WorkThatNeedsTheHostIsNotRecorded) {
  GuardedDevice device;
  const Tensor x = full({2}, 3, DType::f32, device);
  EXPECT_EQ(device.record([&] { to_host<float>(x); }), nullptr);
  EXPECT_EQ(device.record([&] { from_values(std::vector<float>{1}, {1}, device); }), nullptr);
  EXPECT_EQ(to_host<float>(x), std::vector<float>(2, 3.0f));
  EXPECT_EQ(cpu_device().record([] { fail("never called"); }), nullptr);
}

TEST(Devices, TheClockOfTheCpuTellsWhatPassedBetweenEvents) {
  const auto first = cpu_device().record_event(), second = cpu_device().record_event();
  EXPECT_GE(second->seconds_since(*first), 0);
  EXPECT_EQ(first->seconds_since(*first), 0);
}

TEST(Devices, AnErrorInAKernelComesUpWhereOneWaits) {
  GuardedDevice device;
  const Tensor x = full({2}, 3, DType::f32, device);
  device.synchronize();
  device.enqueue([] { fail("in the kernel"); });
  expect_error<Error>([&] { device.synchronize(); }, "in the kernel");
  EXPECT_EQ(to_host<float>(x), std::vector<float>(2, 3.0f));
}

TEST(Devices, NothingMixesThemUnasked) {
  GuardedDevice one, two;
  const Tensor x = full({2}, 1, DType::f32, one);
  expect_error<DeviceError>([&] { copy_into(zeros({2}), x); }, "copy: from guarded to cpu");
  expect_error<DeviceError>([&] { to_device(x, two); },
                            "copying from guarded to guarded: go through the cpu");
  EXPECT_EQ(to_device(x, one).raw(), x.raw());
}

TEST(CountingDevice, CountsWithoutMemory) {
  CountingDevice device;
  {
    const Tensor x = zeros({1 << 20, 1 << 10}, DType::f32, device);  // 4 GiB
    const Tensor y = clone(x);
    accumulate(y, x);
    EXPECT_EQ(device.kernels(), 3);
    EXPECT_EQ(device.held_bytes(), size_t{8} << 30);
    EXPECT_EQ(item(scalar(3, DType::f32, device)), 0);  // there is nothing to read
  }
  EXPECT_GE(device.peak_held_bytes(), size_t{8} << 30);
  EXPECT_EQ(device.allocator().stats().live_bytes, 0u);
}

TEST(ReadLater, GivesWhatWasThereWhenItWasAsked) {
  GuardedDevice guarded;
  for (Device* const device : {&cpu_device(), static_cast<Device*>(&guarded)}) {
    const Tensor x = from_values(std::vector<double>{1, 2.5}, {2}, *device);
    const std::unique_ptr<Arriving> coming = read_later(x);
    fill(x, 7);
    EXPECT_EQ(wait_for(*coming), (std::vector<double>{1, 2.5}));
  }
  expect_error<ShapeError>([] { read_later(zeros({2})); },
                           "read_later: found f32 [2], wanted dense f64");
}

}  // namespace
}  // namespace jogak
