#include "app/use/predictions.h"

#include "tests/support/expect.h"

namespace jogak {
namespace {

const std::vector<float> kLogits = {2, 1, 0.1f};

TEST(Predictions, TheLikeliestFirst) {
  const auto all = likeliest_of(kLogits, 9);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].index, 0);
  EXPECT_NEAR(all[0].score, 0.659001, 1e-6);
  EXPECT_NEAR(all[2].score, 0.098566, 1e-6);
  EXPECT_EQ(likeliest_of(kLogits, 1).size(), 1u);
  EXPECT_EQ(likeliest_of(std::vector<float>{1, 5, 5}, 2)[0].index, 1) << "of equals the first";
}

TEST(Predictions, AsTheProblemWantsIt) {
  Labels labels{{"a", "b", "c"}, Problem::single_label};
  EXPECT_NEAR(label_scores(kLogits, labels, 1)[0].score, 0.659001, 1e-6);
  labels.problem = Problem::multi_label;
  EXPECT_NEAR(label_scores(kLogits, labels, 3)[0].score, 0.880797, 1e-6) << "1 / (1 + e^-2)";
  labels.problem = Problem::regression;
  const auto numbers = label_scores(std::vector<float>{-1, 7, 3}, labels, 3);
  EXPECT_EQ(numbers[0].index, 0) << "numbers keep the order of the labels";
  EXPECT_EQ(numbers[0].score, -1);
  const Labels one{{"relevance"}, Problem::by_targets};
  EXPECT_NEAR(label_scores(std::vector<float>{2}, one, 1)[0].score, 0.880797, 1e-6);
}

}  // namespace
}  // namespace jogak
