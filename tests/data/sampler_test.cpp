#include "data/sampler.h"

#include <algorithm>

#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Sampler, EveryEpochIsAPermutationAndNoTwoAreAlike) {
  Sampler sampler(100, 7);
  std::vector<std::vector<int64_t>> epochs;
  for (int64_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<int64_t> order;
    for (int part = 0; part < 5; ++part)
      for (const Pick& pick : sampler.next(20)) {
        EXPECT_EQ(pick.epoch, epoch);
        order.push_back(pick.index);
      }
    epochs.push_back(order);
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  }
  for (size_t a = 0; a < epochs.size(); ++a)
    for (size_t b = 0; b < a; ++b) EXPECT_NE(epochs[a], epochs[b]);
  EXPECT_EQ(epochs[2], permutation(100, Rng(7, 2)));
  EXPECT_NE(Sampler(100, 8).next(100), Sampler(100, 7).next(100));
}

TEST(Sampler, ACallMayCrossEpochs) {
  Sampler whole(7, 1), parts(7, 1);
  const std::vector<Pick> long_call = whole.next(30);  // more than four epochs
  std::vector<Pick> short_calls;
  for (const int64_t count : {1, 6, 3, 9, 11})
    for (const Pick& pick : parts.next(count)) short_calls.push_back(pick);
  EXPECT_EQ(long_call, short_calls);
  EXPECT_EQ(whole.position(), parts.position());
  EXPECT_EQ(whole.position(), (Sampler::Position{4, 2}));
  EXPECT_EQ(Sampler(1, 5).next(3), (std::vector<Pick>{{0, 0}, {0, 1}, {0, 2}}));
}

TEST(Sampler, APositionRestoresWhatFollows) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, 99);
    const auto examples = 1 + static_cast<int64_t>(rng.below(50));
    const auto count = 1 + static_cast<int64_t>(rng.below(4));
    const Processes processes{static_cast<int64_t>(rng.below(static_cast<uint64_t>(count))), count};
    Sampler sampler(examples, seed, processes);
    for (uint64_t n = rng.below(10); n > 0; --n)
      sampler.next(1 + static_cast<int64_t>(rng.below(9)));
    Sampler restored(examples, seed, processes);
    restored.seek(sampler.position());
    for (int n = 0; n < 10; ++n) {
      const auto next = 1 + static_cast<int64_t>(rng.below(20));
      ASSERT_EQ(restored.next(next), sampler.next(next)) << seed;
      ASSERT_EQ(restored.position(), sampler.position()) << seed;
    }
  }
}

TEST(Sampler, ProcessesPartitionEveryEpoch) {
  for (const int64_t processes : {1, 2, 3, 4, 8})
    for (const int64_t examples : {1, 5, 24, 31, 64})
      for (const int64_t count : {1, 3, 4}) {
        std::vector<Sampler> samplers;
        for (int64_t i = 0; i < processes; ++i)
          samplers.emplace_back(examples, 3, Processes{i, processes});
        Sampler alone(examples, 3);
        const int64_t steps = 3 * examples;  // then every process has seen at least three epochs
        std::vector<std::vector<int>> taken(3, std::vector<int>(static_cast<size_t>(examples)));
        for (int64_t step = 0; step < steps; ++step) {
          std::vector<Pick> together;
          for (Sampler& sampler : samplers)
            for (const Pick& pick : sampler.next(count)) together.push_back(pick);
          ASSERT_EQ(together, alone.next(count * processes));  // the batch of one process
          for (const Sampler& sampler : samplers)
            ASSERT_EQ(sampler.position(), alone.position());  // the same for any number
          for (const Pick& pick : together)
            if (pick.epoch < 3)
              ++taken[static_cast<size_t>(pick.epoch)][static_cast<size_t>(pick.index)];
        }
        for (const auto& epoch : taken)
          ASSERT_EQ(epoch, std::vector<int>(static_cast<size_t>(examples), 1));
      }
}

TEST(Sampler, WhatDoesNotFit) {
  expect_error<Error>([] { Sampler(0, 1); }, "sampler: found 0 examples, wanted at least one");
  expect_error<Error>([] { Sampler(5, 1, {2, 2}); }, "sampler: process 2 of 2");
  error_of<Error>([] { Sampler(5, 1, {-1, 2}); });
  error_of<Error>([] { Sampler(5, 1, {0, 0}); });
  Sampler sampler(5, 1, {0, 2});
  expect_error<Error>([&] { sampler.next(0); }, "sampler: 0 examples asked for");
  error_of<Error>([&] { sampler.next(INT64_MAX); });
  expect_error<Error>(
      [&] {
        sampler.seek({0, 5});
      },
      "data position epoch 0, example 5 does not fit a set of 5 examples");
  error_of<Error>([&] { sampler.seek({-1, 0}); });
  error_of<Error>([&] { sampler.seek({0, -1}); });
  EXPECT_EQ(sampler.position(), (Sampler::Position{0, 0}));
}

}  // namespace
}  // namespace jogak
