#include "score/paired.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace jogak {
namespace {

// scipy 1.17, scipy.stats.ttest_rel(a, b).pvalue.
TEST(PairedTest, GivesScipysProbability) {
  const std::array a{0.41, 0.39, 0.44, 0.40, 0.42}, b{0.45, 0.44, 0.45, 0.43, 0.47};
  EXPECT_NEAR(paired_p_value(a, b), 0.008580918721925, 1e-9);
  EXPECT_NEAR(paired_p_value(b, a), 0.008580918721925, 1e-9);
  const std::array c{1.0, 2.0, 4.0}, d{1.5, 1.0, 4.9};
  EXPECT_NEAR(paired_p_value(c, d), 0.8390964026582, 1e-9);
  const std::array e{1.0, 2.0}, f{1.5, 2.6};
  EXPECT_NEAR(paired_p_value(e, f), 0.05771587675261, 1e-9);
}

TEST(PairedTest, SaysNothingOfOneSeedAndNothingDiffersFromItself) {
  const std::array one{1.0}, other{2.0};
  EXPECT_TRUE(std::isnan(paired_p_value(one, other)));
  const std::array a{1.0, 2.0, 3.0};
  EXPECT_EQ(paired_p_value(a, a), 1);
  const std::array shifted{1.5, 2.5, 3.5};
  EXPECT_EQ(paired_p_value(a, shifted), 0);  // the same difference each time: no spread at all
  const std::array<double, 3> broken{1.0, NAN, 3.0};
  EXPECT_TRUE(std::isnan(paired_p_value(a, broken)));
}

}  // namespace
}  // namespace jogak
