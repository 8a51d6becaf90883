// What the lessons about heads, cross-attention and blocks must show.
#include <gtest/gtest.h>

#include "base/error.h"
#include "explain/arithmetic.h"
#include "tests/explain/lessons.h"

namespace jogak {
namespace {

using test::asking;
using test::expect_digits;
using test::table_of;

std::string all_text(const Lesson& lesson) { return to_text(lesson, false, 400); }

Matrix columns_of(const Matrix& m, int64_t from, int64_t to) {
  Matrix out(m.rows, to - from);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = from; j < to; ++j) out.at(i, j - from) = m.at(i, j);
  return out;
}

// Every head alone, by plain loops; then side by side, times W_o.
void expect_heads(const Lesson& lesson, const Lesson& math, int64_t heads) {
  const Matrix x = table_of(lesson, "x"), q = plain::product(x, table_of(lesson, "w_q")),
               k = plain::product(x, table_of(lesson, "w_k")),
               v = plain::product(x, table_of(lesson, "w_v"));
  const int64_t d = x.columns / heads;
  Matrix joined(x.rows, 0);
  std::vector<Matrix> outputs;
  for (int64_t h = 0; h < heads; ++h) {
    const auto part = [&](const Matrix& m) { return columns_of(m, h * d, (h + 1) * d); };
    const plain::Attention one = plain::attention(part(q), part(k), part(v), {});
    outputs.push_back(one.output);
    if (h < 4) expect_digits(table_of(lesson, text_of("weights_", h + 1)), one.weights, 9);
  }
  for (int64_t i = 0; i < x.rows; ++i)
    for (const Matrix& one : outputs)
      joined.values.insert(joined.values.end(), one.row(i).begin(), one.row(i).end());
  joined.columns = x.columns;
  expect_digits(table_of(lesson, "joined"), joined, 9);
  const Matrix output = plain::product(joined, table_of(lesson, "w_o"));
  expect_digits(table_of(lesson, "output"), output, 9);
  expect_digits(table_of(math, "output"), output, 9);
  expect_digits(table_of(math, "summed"), output, 9);
}

TEST(Multihead, JoinedHeadsAreTheHeadsSideBySide) {
  expect_heads(explain(asking("multihead")), explain(asking("multihead", Level::math)), 2);
}

TEST(Multihead, TakesAnyWidthHeadsWordsAndMatrices) {
  ExplainRequest request = asking("multihead");
  request.words = {"나는", "작은", "고양이를", "아주", "사랑한다"};
  request.inputs["heads"] = {{3}};
  ExplainRequest math = request;
  math.level = Level::math;
  const Lesson lesson = explain(request);
  EXPECT_EQ(table_of(lesson, "x").rows, 5);
  EXPECT_EQ(table_of(lesson, "x").columns, 6);
  EXPECT_EQ(test::find_table(lesson, "weights_1")->rows, request.words);
  expect_heads(lesson, explain(math), 3);
  EXPECT_EQ(explain(request).pictures.size(), 3u);

  request.words.clear();
  request.inputs["heads"] = {{6}};  // more than are shown
  math.words.clear();
  math.inputs = request.inputs;
  EXPECT_EQ(test::find_table(explain(request), "weights_5"), nullptr);
  expect_heads(explain(request), explain(math), 6);

  request.inputs = {{"x", {{1, -1, 2}}}, {"heads", {{2}}}};
  EXPECT_THROW(explain(request), UsageError);
}

TEST(Multihead, ShowsTheCodePeopleMeetElsewhere) {
  const std::string text = all_text(explain(asking("multihead")));
  for (const char* line :
       {"t.view(n, H, d_k).transpose(0, 1)", "transpose(-2, -1)", "c.contiguous().view(n, d)"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(Qkv, TakesAnyNumberOfWords) {
  for (const size_t count : {1, 2, 7, 12}) {
    ExplainRequest request = asking("qkv");
    for (size_t i = 0; i < count; ++i) request.words.push_back(i % 2 ? "고양이" : "love");
    const Lesson lesson = explain(request);
    EXPECT_EQ(table_of(lesson, "x").rows, static_cast<int64_t>(count));
    EXPECT_EQ(test::find_table(lesson, "output")->rows, request.words);
    const Matrix x = table_of(lesson, "x");
    for (int64_t i = 2; i < x.rows; ++i)  // a word has one vector
      for (int64_t j = 0; j < x.columns; ++j) EXPECT_EQ(x.at(i, j), x.at(i - 2, j));
  }
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
  Matrix previous(n, n), following(n, n), first(n, n), itself(n, n), same(n, n), induction(n, n);
  for (int64_t i = 0; i < n; ++i) {
    previous.at(i, std::max<int64_t>(i - 1, 0)) = 1;
    following.at(i, std::min(i + 1, n - 1)) = 1;
    first.at(i, 0) = 1;
    itself.at(i, i) = 1;
    same.at(i, (i + 3) % n) = 1;             // a b c a b c
    induction.at(i, i < 3 ? 0 : i - 2) = 1;  // after the same letter before
  }
  EXPECT_EQ(table_of(explain(head_of(previous)), "previous"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(following)), "following"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(first)), "first"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(itself)), "itself"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(itself)), "distance"), (Matrix{{0}}));
  EXPECT_EQ(table_of(explain(head_of(itself)), "entropy"), (Matrix{{0}}));
  EXPECT_EQ(table_of(explain(head_of(same)), "same"), (Matrix{{1}}));
  EXPECT_EQ(table_of(explain(head_of(induction)), "induction"), (Matrix{{1}}));
  EXPECT_NE(all_text(explain(head_of(induction))).find("This head: induction."), std::string::npos);
  const Lesson uniform = explain(head_of(Matrix(4, 4, 0.25)));
  EXPECT_NEAR(table_of(uniform, "entropy").at(0, 0), 2, 1e-12);  // bits
  EXPECT_NEAR(table_of(uniform, "distance").at(0, 0), 1.25, 1e-12);
  EXPECT_NE(all_text(uniform).find("This head: near."), std::string::npos);
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
