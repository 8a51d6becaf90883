// Runs of weights: all of them once, in order, the first ones long and the last ones short.
#include "ops/kernels/long_runs.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

TEST(LongRuns, CoverEverythingOnceAndGetNoLonger) {
  for (const int64_t count : {1, 2, 3, 7, 24, 192, 1571, 12565})
    for (const int64_t bytes : {100, 6144, 14000, 1000000})
      for (const int64_t threads : {1, 2, 3, 16}) {
        SCOPED_TRACE(testing::Message() << count << " of " << bytes << " for " << threads);
        const LongRuns runs(count, bytes, threads);
        int64_t at = 0, before = count;
        for (int64_t i = 0; i < runs.runs(); ++i) {
          const LongRuns::Range run = runs[i];
          EXPECT_EQ(run.begin, at);
          EXPECT_GT(run.end, run.begin);
          EXPECT_LE(run.end - run.begin, before);
          at = run.end, before = run.end - run.begin;
        }
        EXPECT_EQ(at, count);
        const int64_t share = (count + threads - 1) / threads;
        EXPECT_GE(runs.runs(), (count + share - 1) / share);  // nobody gets more
      }
}

TEST(LongRuns, TheFirstTurnIsHalfOfAllAndTheLastRunsAreShort) {
  const LongRuns runs(1024, 4096, 2);  // 4 MB
  EXPECT_EQ(runs[0].end, 256);
  EXPECT_EQ(runs[1].end, 512);
  const LongRuns::Range last = runs[runs.runs() - 1];
  EXPECT_LE((last.end - last.begin) * 4096, LongRuns::kShort);
}

}  // namespace
}  // namespace jogak
