// Scores of answers as SQuAD's script counts them.
#include "score/answers.h"

#include <gtest/gtest.h>

namespace jogak {
namespace {

TEST(Answers, ArticlesCaseAndPunctuationDoNotCount) {
  EXPECT_EQ(plain_answer("The  Quick, brown Fox!"), "quick brown fox");
  EXPECT_EQ(plain_answer("An apple a day"), "apple day");
  EXPECT_EQ(plain_answer("2031-05"), "203105");
}

TEST(Answers, TheBestOfTheRightOnesCounts) {
  AnswerScore score;
  const std::string right[] = {"the White House", "Washington"};
  score.add("white house", right);
  EXPECT_EQ(score.exact_match(), 1);
  EXPECT_EQ(score.f1(), 1);
  score.add("in Washington D.C.", right);  // one word of three, of one
  EXPECT_EQ(score.exact_match(), 0.5);
  EXPECT_NEAR(score.f1(), (1 + 0.5) / 2, 1e-12);
  score.add("nowhere", right);
  EXPECT_NEAR(score.f1(), 1.5 / 3, 1e-12);
  EXPECT_EQ(score.questions(), 3);
}

}  // namespace
}  // namespace jogak
