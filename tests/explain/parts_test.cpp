// What the lessons about heads, cross-attention and blocks must show.
#include <gtest/gtest.h>

#include "explain/arithmetic.h"
#include "tests/explain/lessons.h"

namespace jogak {
namespace {

using test::asking;
using test::expect_digits;
using test::table_of;

std::string all_text(const Lesson& lesson) { return to_text(lesson, false, 400); }

TEST(Multihead, JoinedHeadsAreTheHeadsSideBySide) {
  const Lesson lesson = explain(asking("multihead"));
  const Matrix q = {{1, 0}, {0, 1}, {1, 1}}, k = {{1, 1}, {0, 0}, {1, 0}},
               v = {{1, 2}, {5, 6}, {9, 10}};
  const plain::Attention first = plain::attention(q, k, v, {});
  expect_digits(table_of(lesson, "weights_first"), first.weights, 9);
  expect_digits(table_of(lesson, "out_first"), first.output, 9);
  const Matrix joined = table_of(lesson, "joined");
  EXPECT_EQ(joined.columns, 4);
  EXPECT_EQ(joined.at(2, 1), table_of(lesson, "out_first").at(2, 1));
  EXPECT_EQ(joined.at(2, 2), table_of(lesson, "out_second").at(2, 0));
  const Lesson math = explain(asking("multihead", Level::math));
  expect_digits(table_of(math, "summed"), table_of(lesson, "output"), 9);
}

TEST(Multihead, WithoutTheTransposeHeadsAttendToHeads) {
  const Lesson lesson = explain(asking("multihead"));
  const std::string text = all_text(lesson);
  for (const char* shapes : {"[16,128,8,64]·[16,128,64,8] = [16,128,8,8]", "512 = 8 heads × 64"})
    EXPECT_NE(text.find(shapes), std::string::npos) << shapes;
  EXPECT_EQ(table_of(lesson, "wrong_scores").rows, 2);  // heads, not the three tokens
}

TEST(CrossAttention, TheLastEncoderLayerGivesKeysAndValues) {
  const Lesson lesson = explain(asking("cross-attention"));
  const Matrix weights = table_of(lesson, "weights");
  EXPECT_EQ(weights.rows, 2);  // target
  EXPECT_EQ(weights.columns, 3);
  const plain::Attention same =
      plain::attention(table_of(lesson, "q"), table_of(lesson, "k"), table_of(lesson, "v"), {});
  expect_digits(weights, same.weights, 9);
  expect_digits(table_of(lesson, "output"), same.output, 9);
  EXPECT_GT(std::abs(table_of(lesson, "early_weights").at(0, 0) - weights.at(0, 0)), 0.01);
  EXPECT_NE(all_text(lesson).find("last encoder layer"), std::string::npos);
}

TEST(Linear, TwoLayersEqualOneUntilSomethingBends) {
  const Lesson lesson = explain(asking("linear"));
  expect_digits(table_of(lesson, "one_layer"), table_of(lesson, "two_layers"), 12);
  double gap = 0;
  for (const double x : table_of(lesson, "gap").values) gap = std::max(gap, std::abs(x));
  EXPECT_GT(gap, 0.1);
  expect_digits(table_of(explain(asking("linear", Level::math)), "row_sums"), {{1}, {1}, {1}}, 9);
}

ExplainRequest head_of(const Matrix& a) {
  ExplainRequest request = asking("heads");
  request.inputs["a"] = a;
  return request;
}

TEST(Heads, EachHabitScoresOneForTheHeadThatHasIt) {
  const int64_t n = 6;
  Matrix previous(n, n), following(n, n), first(n, n), same(n, n), induction(n, n);
  for (int64_t i = 0; i < n; ++i) {
    previous.at(i, std::max<int64_t>(i - 1, 0)) = 1;
    following.at(i, std::min(i + 1, n - 1)) = 1;
    first.at(i, 0) = 1;
    same.at(i, i) = 1;
    induction.at(i, i < 3 ? 0 : i - 2) = 1;  // a b c a b c: after the same letter before
  }
  EXPECT_EQ(table_of(explain(head_of(previous)), "previous"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(following)), "following"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(first)), "first"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(same)), "same"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(same)), "distance"), (Matrix{{0}}));
  EXPECT_EQ(table_of(explain(head_of(same)), "entropy"), (Matrix{{0}}));
  EXPECT_EQ(table_of(explain(head_of(induction)), "induction"), (Matrix{{1}}));
  const Lesson uniform = explain(head_of(Matrix(4, 4, 0.25)));
  EXPECT_NEAR(table_of(uniform, "entropy").at(0, 0), std::log(4.0), 1e-12);
  EXPECT_NEAR(table_of(uniform, "distance").at(0, 0), 1.25, 1e-12);
}

TEST(EncoderBlock, RowsComeOutNormalised) {
  for (const Level level : test::kLevels) {
    const Lesson lesson = explain(asking("encoder-block", level));
    EXPECT_EQ(table_of(lesson, "x").at(1, 0), 0.1);  // the patch at the top right
    for (const char* name : {"z", "output"}) {
      const Matrix m = table_of(lesson, name);
      for (int64_t i = 0; i < m.rows; ++i) {
        double sum = 0, squares = 0;
        for (const double x : m.row(i)) sum += x, squares += x * x;
        EXPECT_NEAR(sum, 0, 1e-9);
        EXPECT_NEAR(squares / 4, 1, 2e-3);  // eps takes a little
      }
    }
  }
}

TEST(EncoderBlock, ThreeTellings) {
  const std::string story = all_text(explain(asking("encoder-block", Level::story)));
  const std::string math = all_text(explain(asking("encoder-block", Level::math)));
  EXPECT_NE(story.find("cat"), std::string::npos);
  EXPECT_NE(math.find("LN(X + MHA(X))"), std::string::npos);
}

}  // namespace
}  // namespace jogak
