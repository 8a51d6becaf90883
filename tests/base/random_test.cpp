#include "base/random.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/normal_fill.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

// Known answers of Random123 for philox4x32-10; our counter is (index, stream), our key the seed.
TEST(Random, PhiloxKnownAnswers) {
  EXPECT_EQ(philox(0, 0, 0), (Philox4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~0ull, ~0ull, ~0ull), (Philox4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0'a4093822, 0x03707344'13198a2e, 0x85a308d3'243f6a88),
            (Philox4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, NumberIsAFunctionOfItsPosition) {
  Rng a(5, 2);
  std::vector<uint32_t> numbers;
  for (int i = 0; i < 41; ++i) numbers.push_back(a.next_u32());
  EXPECT_EQ(a.position(), 41u);
  for (uint64_t at : {40u, 0u, 17u, 3u}) {
    Rng b(5, 2);
    b.seek(at);
    EXPECT_EQ(b.next_u32(), numbers[at]);
    EXPECT_EQ(numbers[at], philox(5, 2, at / 4)[at % 4]);
  }
  Rng c(5, 2);
  EXPECT_EQ(c.next_u64(), (uint64_t{numbers[0]} << 32) | numbers[1]);
}

TEST(Random, StreamsAndSeedsDiffer) {
  const Rng root(1);
  std::vector<uint64_t> first;
  for (uint64_t s = 0; s < 1000; ++s) first.push_back(root.split(s).next_u64());
  first.push_back(Rng(2).next_u64());
  first.push_back(Rng(1).next_u64());
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end());
  EXPECT_EQ(root.split(3).next_u64(), root.split(3).next_u64());
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Rng rng(11);
  constexpr int kCount = 400000;
  double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0, fourth = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = rng.uniform(), n = rng.normal();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ASSERT_TRUE(std::isfinite(n));
    sum += u, squares += u * u, normal_sum += n, normal_squares += n * n, fourth += n * n * n * n;
  }
  const double root = std::sqrt(static_cast<double>(kCount));  // bounds are five deviations
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45) / root);
  EXPECT_NEAR(normal_sum / kCount, 0, 5 / root);
  EXPECT_NEAR(normal_squares / kCount, 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(fourth / kCount, 3, 5 * std::sqrt(96.0) / root);
}

TEST(Random, BelowIsUnbiased) {
  Rng rng(3);
  for (const uint64_t bound : {1, 2, 3, 7, 10}) {
    constexpr int kCount = 100000;
    std::vector<int> seen(bound);
    for (int i = 0; i < kCount; ++i) ++seen.at(rng.below(bound));
    const double p = 1.0 / static_cast<double>(bound);
    for (const int n : seen) EXPECT_NEAR(n, kCount * p, 5 * std::sqrt(kCount * p * (1 - p)) + 1e-9);
  }
  // Plain `% bound` would give the lower half two thirds of the draws here.
  const uint64_t bound = 0xAAAAAAAA'AAAAAAAA;
  int low = 0;
  for (int i = 0; i < 20000; ++i) low += rng.below(bound) < bound / 2;
  EXPECT_NEAR(low, 10000, 5 * std::sqrt(5000.0));
  EXPECT_LT(rng.below(UINT64_MAX), UINT64_MAX);
}

TEST(Random, PermutationIsOne) {
  for (const int64_t count : {0, 1, 2, 3, 64, 1001}) {
    std::vector<int64_t> order = permutation(count, Rng(9));
    EXPECT_EQ(order, permutation(count, Rng(9)));
    if (count > 3) {
      EXPECT_NE(order, permutation(count, Rng(10)));
      EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    }
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < count; ++i) ASSERT_EQ(order[i], i);
  }
}

TEST(Random, EveryPermutationIsAsLikely) {
  std::vector<int> seen(6);
  constexpr int kCount = 60000;
  for (int i = 0; i < kCount; ++i) {
    const auto p = permutation(3, Rng(1, i));
    ++seen[static_cast<size_t>(p[0] * 2 + (p[1] > p[2]))];
  }
  for (const int n : seen) EXPECT_NEAR(n, kCount / 6.0, 5 * std::sqrt(kCount * 5.0 / 36));
}

TEST(Random, WrongSizesAreRefused) {
  expect_error<UsageError>([] { Rng(1).below(0); },
                           "random number below 0 asked for, wanted a bound of at least 1");
  expect_error<UsageError>([] { permutation(-1, Rng(1)); }, "permutation of -1 items asked for");
}

// Many at once have the bits of one after the other, wherever in a stream they begin.
TEST(FillNormal, HasTheBitsOfNormalRoundedToF32) {
  for (const uint64_t first : {0, 4, 400, 3}) {
    for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{200'001}}) {
      Rng rng(12345678901234567ULL + first, 0xFEDCBA9876543210ULL);
      rng.seek(first);
      std::vector<float> found(count);
      fill_normal(rng, found);
      size_t other = 0;
      for (const float number : found)
        other += std::bit_cast<uint32_t>(number) !=
                 std::bit_cast<uint32_t>(static_cast<float>(rng.normal()));
      EXPECT_EQ(other, 0u) << first << " " << count;
    }
  }
}

}  // namespace
}  // namespace jogak
