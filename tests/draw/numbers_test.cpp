#include "draw/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace jogak {
namespace {

TEST(FixedText, SixPlacesUnlessVeryLargeOrSmall) {
  EXPECT_EQ(fixed_text(0.6590011388859679), "0.659001");
  EXPECT_EQ(fixed_text(-1.2247425750014258), "-1.224743");
  EXPECT_EQ(fixed_text(0.0099998333, 7), "0.0099998");
  EXPECT_EQ(fixed_text(2), "2.000000");
  EXPECT_EQ(fixed_text(-0.0), "0.000000");
  EXPECT_EQ(fixed_text(3.2e-17), "0.000000");  // rounding noise
  EXPECT_EQ(fixed_text(8.315e-7), "8.31500e-07");
  EXPECT_EQ(fixed_text(3e-9), "3.00000e-09");
  EXPECT_EQ(fixed_text(123456789.5), "1.23457e+08");
  EXPECT_EQ(fixed_text(-std::numeric_limits<double>::infinity()), "-∞");
  EXPECT_EQ(fixed_text(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(fixed_text(1e300), "1.00000e+300");
}

TEST(PlainText, WholeNumbersHaveNoPoint) {
  EXPECT_EQ(plain_text(2), "2");
  EXPECT_EQ(plain_text(-0.0), "0");
  EXPECT_EQ(plain_text(0.5), "0.500000");
  EXPECT_EQ(plain_text(1.9999999999), "2.000000");
  EXPECT_EQ(plain_text(-1e9), "-1000000000");
}

TEST(ExactText, ReadsBackTheSame) {
  for (const double x : {0.1, 1e-5, -2.5, 1.0 / 3, 123456.789})
    EXPECT_EQ(std::strtod(exact_text(x).c_str(), nullptr), x);
  EXPECT_EQ(exact_text(0.1), "0.1");
  EXPECT_EQ(exact_text(2), "2");
}

TEST(CellTexts, OneStyleForATable) {
  using Texts = std::vector<std::string>;
  const double hidden = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(cell_texts({{1, 2}, {3, -4}}, 6), (Texts{"1", "2", "3", "-4"}));
  EXPECT_EQ(cell_texts({{1, 0.5}}, 6), (Texts{"1.000000", "0.500000"}));
  EXPECT_EQ(cell_texts({{1, hidden}}, 6), (Texts{"1", "-∞"}));
  EXPECT_EQ(cell_texts({{2, 1, 0.1}}, kAsGiven), (Texts{"2.0", "1.0", "0.1"}));
  EXPECT_EQ(cell_texts({{2, 1.0 / 3}}, kAsGiven), (Texts{"2", "0.3333333333333333"}));
}

}  // namespace
}  // namespace jogak
