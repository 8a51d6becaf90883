#include "score/classification.h"

#include <vector>

#include "base/error.h"
#include "score/forecast.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Ids = std::vector<int64_t>;

TEST(Classification, AccuracyAndMacroF1) {
  // Class 0 is found 3 times, wanted twice, hit twice; class 1: 2, 3, 2; class 2: 1, 1, 1.
  const ClassScore score = score_classes(Ids{0, 0, 0, 1, 1, 2}, Ids{0, 0, 1, 1, 1, 2});
  EXPECT_EQ(score.examples, 6);
  EXPECT_EQ(score.right, 5);
  EXPECT_DOUBLE_EQ(score.accuracy(), 5.0 / 6);
  EXPECT_DOUBLE_EQ(score.macro_f1, (4.0 / 5 + 4.0 / 5 + 1) / 3);
}

TEST(Classification, AClassThatIsOnlyFoundOrOnlyWantedCounts) {
  EXPECT_DOUBLE_EQ(score_classes(Ids{0, 0, 5}, Ids{0, 7, 0}).macro_f1, 2.0 / 4 / 3);
  EXPECT_EQ(score_classes(Ids{}, Ids{}).accuracy(), 0);
  error_of<Error>([] { score_classes(Ids{1}, Ids{}); });
}

TEST(Forecast, ErrorsOfEveryValue) {
  ForecastScore score;
  score.add(std::vector<float>{1, 2}, std::vector<float>{1, 4});
  score.add(std::vector<float>{0}, std::vector<float>{-3});
  EXPECT_EQ(score.values(), 3);
  EXPECT_DOUBLE_EQ(score.mse(), 13.0 / 3);
  EXPECT_DOUBLE_EQ(score.mae(), 5.0 / 3);
  error_of<Error>([&] { score.add(std::vector<float>{1}, std::vector<float>{}); });
}

}  // namespace
}  // namespace jogak
