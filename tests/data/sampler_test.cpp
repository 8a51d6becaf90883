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
    Sampler sampler(examples, seed);
    for (uint64_t n = rng.below(10); n > 0; --n)
      sampler.next(1 + static_cast<int64_t>(rng.below(9)));
    Sampler restored(examples, seed);
    restored.seek(sampler.position());
    for (int n = 0; n < 10; ++n) {
      const auto next = 1 + static_cast<int64_t>(rng.below(20));
      ASSERT_EQ(restored.next(next), sampler.next(next)) << seed;
      ASSERT_EQ(restored.position(), sampler.position()) << seed;
    }
  }
}

TEST(Sampler, WhatDoesNotFit) {
  expect_error<Error>([] { Sampler(0, 1); }, "sampler: found 0 examples, wanted at least one");
  Sampler sampler(5, 1);
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
