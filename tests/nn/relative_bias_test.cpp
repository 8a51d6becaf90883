#include "nn/relative_bias.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

// Where transformers' _relative_position_bucket goes to the next bucket.
std::vector<int64_t> borders(const DistanceBuckets& rule, int64_t sign) {
  std::vector<int64_t> out;
  for (int64_t d = 1; d < 2000; ++d)
    if (rule.bucket(sign * d) != rule.bucket(sign * (d - 1))) out.push_back(d);
  return out;
}

TEST(DistanceBuckets, NearDistancesAreAloneAndFarOnesTogether) {
  const DistanceBuckets both{};  // 32 buckets, 128: those of T5
  const std::vector<int64_t> wanted = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  EXPECT_EQ(borders(both, -1), wanted);
  EXPECT_EQ(borders(both, 1), wanted);
  EXPECT_EQ(both.bucket(0), 0);
  EXPECT_EQ(both.bucket(-1), 1);
  EXPECT_EQ(both.bucket(1), 17);
  EXPECT_EQ(both.bucket(-5000), 15);
  EXPECT_EQ(both.bucket(5000), 31);
}

TEST(DistanceBuckets, ADecoderHasNoneBehindItself) {
  const DistanceBuckets back{.both_ways = false};
  EXPECT_EQ(borders(back, -1),
            (std::vector<int64_t>{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                  19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113}));
  for (const int64_t d : {0, 1, 77}) EXPECT_EQ(back.bucket(d), 0) << d;
}

}  // namespace
}  // namespace jogak
