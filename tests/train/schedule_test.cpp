#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Schedule, NoamHasTheNumbersOfThePaper) {
  const ScheduleOptions noam{.kind = ScheduleKind::noam, .warmup = 4000, .width = 512};
  const auto near = [&](int64_t step, double wanted) {
    EXPECT_NEAR(rate_at(noam, step) / wanted, 1, 5e-7) << step;
  };
  near(1, 1.746928e-7);
  near(1000, 1.746928e-4);
  near(4000, 6.987712e-4);
  near(8000, 4.941059e-4);
  EXPECT_GT(rate_at(noam, 4000), rate_at(noam, 3999));
  EXPECT_GT(rate_at(noam, 4000), rate_at(noam, 4001));
}

TEST(Schedule, WarmUpRisesStraightToThePeak) {
  for (const auto kind : {ScheduleKind::constant, ScheduleKind::linear, ScheduleKind::cosine,
                          ScheduleKind::inverse_sqrt, ScheduleKind::wsd}) {
    const ScheduleOptions o{.kind = kind, .rate = 0.5, .warmup = 10, .steps = 100, .decay = 20};
    EXPECT_DOUBLE_EQ(rate_at(o, 1), 0.05) << name_of(kind);
    EXPECT_DOUBLE_EQ(rate_at(o, 5), 0.25) << name_of(kind);
    EXPECT_DOUBLE_EQ(rate_at(o, 10), 0.5) << name_of(kind);
    for (int64_t s = 11; s <= 120; ++s) EXPECT_LE(rate_at(o, s), rate_at(o, s - 1) + 1e-15);
  }
}

TEST(Schedule, WaysDown) {
  ScheduleOptions o{.kind = ScheduleKind::cosine,
                    .rate = 1,
                    .final_rate = 0.1,
                    .warmup = 20,
                    .steps = 120,
                    .decay = 40};
  EXPECT_DOUBLE_EQ(rate_at(o, 70), 0.55);
  EXPECT_NEAR(rate_at(o, 45), 0.1 + 0.9 * (1 + std::cos(M_PI / 4)) / 2, 1e-15);
  EXPECT_DOUBLE_EQ(rate_at(o, 120), 0.1);
  EXPECT_DOUBLE_EQ(rate_at(o, 1000), 0.1);
  o.kind = ScheduleKind::linear;
  EXPECT_DOUBLE_EQ(rate_at(o, 45), 0.775);
  EXPECT_DOUBLE_EQ(rate_at(o, 120), 0.1);
  o.kind = ScheduleKind::wsd;
  EXPECT_DOUBLE_EQ(rate_at(o, 80), 1);
  EXPECT_DOUBLE_EQ(rate_at(o, 90), 0.775);
  EXPECT_DOUBLE_EQ(rate_at(o, 120), 0.1);
  o.kind = ScheduleKind::inverse_sqrt;
  EXPECT_DOUBLE_EQ(rate_at(o, 80), 0.5);
  o.kind = ScheduleKind::constant;
  EXPECT_DOUBLE_EQ(rate_at(o, 1000), 1);
}

TEST(Schedule, OneCycleIsPyTorchs) {  // OneCycleLR(max_lr=0.5, total_steps=10, pct_start=0.3)
  const ScheduleOptions o{.kind = ScheduleKind::one_cycle, .rate = 0.5, .warmup = 3, .steps = 10};
  const double wanted[] = {0.02,
                           0.26,
                           0.5,
                           0.475242316007,
                           0.405872826975,
                           0.305631010968,
                           0.194370989032,
                           0.0941291730251,
                           0.0247596839933,
                           2e-06};
  for (int64_t s = 1; s <= 10; ++s) EXPECT_NEAR(rate_at(o, s), wanted[s - 1], 1e-12) << s;
}

TEST(Schedule, ASingleStepHasThePeak) {
  for (const auto kind : {ScheduleKind::linear, ScheduleKind::cosine, ScheduleKind::wsd})
    EXPECT_EQ(rate_at({.kind = kind, .rate = 0.3, .warmup = 0, .steps = 1}, 1), 0.3)
        << name_of(kind);
}

TEST(Schedule, NamesAreReadBackAndWrongOnesAreHelped) {
  for (const std::string& name : schedule_names()) EXPECT_EQ(name_of(parse_schedule(name)), name);
  expect_error<UsageError>([] { parse_schedule("cosin"); },
                           "no schedule \"cosin\" (did you mean \"cosine\"?)");
  error_of<UsageError>([] { check_schedule({.kind = ScheduleKind::noam, .warmup = 10}); });
  error_of<UsageError>([] { check_schedule({.rate = -1}); });
  error_of<UsageError>([] { check_schedule({.rate = std::nan("")}); });
  error_of<UsageError>([] { check_schedule({.warmup = -1}); });
}

}  // namespace
}  // namespace jogak
