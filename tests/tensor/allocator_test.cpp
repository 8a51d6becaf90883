#include "tensor/allocator.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/shortage.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

struct Counted {  // a source of addresses that nobody follows
  size_t given = 0, most = 0, limit = SIZE_MAX;
  uintptr_t next = 1 << 20;
  CachingAllocator allocator{{[this](size_t bytes) -> std::byte* {
                                if (given + bytes > limit) return nullptr;
                                given += bytes;
                                most = std::max(most, given);
                                return reinterpret_cast<std::byte*>(next += bytes);
                              },
                              [this](std::byte*, size_t bytes) { given -= bytes; }}};
  uint64_t asked() const { return allocator.stats().system_allocations; }
};

TEST(Allocator, AFreedBlockIsHandedOutAgainForNearlyTheSameSize) {
  Counted c;
  std::byte* const block = c.allocator.allocate(1000 * 1000);
  c.allocator.release(block);
  EXPECT_EQ(c.allocator.allocate(900 * 1000), block);
  c.allocator.release(block);
  std::byte* const small = c.allocator.allocate(700 * 1000);  // too small for it
  EXPECT_NE(small, block);
  EXPECT_EQ(c.asked(), 2u);
  c.allocator.release(small);
  c.allocator.trim();
  EXPECT_EQ(c.given, 0u);
}

TEST(Allocator, LiveAndPeakAreCounted) {
  Counted c;
  std::byte* const a = c.allocator.allocate(kMiB);
  std::byte* const b = c.allocator.allocate(2 * kMiB);
  c.allocator.release(a);
  EXPECT_EQ(c.allocator.stats().live_bytes, 2 * kMiB);
  EXPECT_EQ(c.allocator.stats().peak_bytes, 3 * kMiB);
  EXPECT_EQ(c.allocator.stats().cached_bytes, kMiB);
  c.allocator.reset_peak();
  EXPECT_EQ(c.allocator.stats().peak_bytes, 2 * kMiB);
  c.allocator.release(b);
}

// One step: many blocks live at once, then all of them free, but for what is there always.
void step(Counted& c, size_t unit, int blocks) {
  std::vector<std::byte*> live;
  for (int i = 0; i < blocks; ++i)
    live.push_back(c.allocator.allocate(unit * static_cast<size_t>(i + 1)));
  for (std::byte* block : live) c.allocator.release(block);
}

TEST(Allocator, ALoopOfLargeStepsSettlesThoughLittleIsLiveBetweenThem) {
  Counted c;
  std::byte* const weights = c.allocator.allocate(10 * kMiB);
  step(c, 4 * kMiB, 20);  // 840 MiB at once
  const uint64_t after_one = c.asked();
  for (int i = 0; i < 10; ++i) {
    // A block that is new in every step must not make the others go.
    std::byte* const odd = c.allocator.allocate(100 * static_cast<size_t>(i + 1));
    step(c, 4 * kMiB, 20);
    c.allocator.release(odd);
  }
  EXPECT_LE(c.asked() - after_one, 10u);
  c.allocator.release(weights);
}

TEST(Allocator, WhatFitsNothingAnyMoreGoesOldestFirst) {
  Counted c;
  size_t all = 0;
  for (size_t i = 1; i <= 40; ++i) {  // sizes drift: every step has its own
    step(c, i * 3 * kMiB, 10);
    all += i * 3 * kMiB * 55;
  }
  const size_t most = c.allocator.stats().peak_bytes;
  EXPECT_LE(c.most, most + most / 4 + 64 * kMiB);
  EXPECT_GT(all, 10 * most);
}

TEST(Allocator, APoolKeepsItsBlocksToItselfUntilItGoes) {
  Counted c;
  c.allocator.release(c.allocator.allocate(kMiB));
  std::byte *first = nullptr, *kept = nullptr;
  {
    CachingAllocator::Pool pool(c.allocator);
    {
      const CachingAllocator::Pool::Open open(pool);
      first = c.allocator.allocate(kMiB);  // what was cached is its own from now on
      c.allocator.release(first);
      EXPECT_EQ(c.allocator.allocate(kMiB), first);
      kept = c.allocator.allocate(kMiB);
      c.allocator.release(first);
    }
    EXPECT_EQ(c.allocator.stats().live_bytes, 2 * kMiB);
    std::byte* const other = c.allocator.allocate(kMiB);
    EXPECT_NE(other, first);
    c.allocator.release(other);
  }
  EXPECT_EQ(c.allocator.stats().live_bytes, kMiB);
  c.allocator.release(kept);  // outlived its pool
  EXPECT_EQ(c.allocator.stats().live_bytes, 0u);
  EXPECT_EQ(c.allocator.stats().cached_bytes, 3 * kMiB);
  EXPECT_EQ(c.asked(), 3u);
}

TEST(Allocator, OutOfMemoryTriesTheCacheThenSaysHowMuch) {
  Counted c;
  c.limit = 100 * kMiB;
  std::byte* const a = c.allocator.allocate(60 * kMiB);
  c.allocator.release(a);
  std::byte* const b = c.allocator.allocate(90 * kMiB);  // the cached block goes back first
  expect_error<OutOfMemory>([&] { c.allocator.allocate(20 * kMiB); },
                            "out of memory: asked for 20971520 bytes with 94371840 bytes in use");
  error_of<DeviceError>([&] { c.allocator.allocate(size_t{1} << 47); });
  c.allocator.release(b);
}

}  // namespace
}  // namespace jogak
