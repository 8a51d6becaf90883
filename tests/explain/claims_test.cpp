// What lessons claim in words, in formulas and by their pictures must be so.
#include <gtest/gtest.h>

#include <set>

#include "explain/arithmetic.h"
#include "tests/explain/lessons.h"

namespace jogak {
namespace {

using test::asking;
using test::expect_digits;
using test::table_of;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Step& step_of(const Lesson& lesson, const std::string& name) {
  for (const Step& step : lesson.steps)
    if (step.name == name) return step;
  throw std::runtime_error(lesson.topic + " has no step " + name);
}

TEST(Claims, TheLargestBoxIsTheLargest) {
  for (const auto& [tokens, shape] : std::initializer_list<std::pair<int, const char*>>{
           {128, "[16,128,37000]"}, {65536, "[16,8,65536,65536]"}})
    for (const Lang lang : test::kLangs) {
      ExplainRequest request = asking("shapes", Level::story, lang);
      request.inputs["tokens"] = Matrix(1, 1, tokens);
      EXPECT_TRUE(holds(step_of(explain(request), "cut").text, shape)) << shape;
    }
  ExplainRequest request = asking("shapes", Level::story);
  request.inputs["tokens"] = {{256}};
  const Lesson twice = explain(request), once = explain(asking("shapes", Level::story));
  const auto growth = [&](const char* name) {
    return table_of(twice, name).at(0, 0) / table_of(once, name).at(0, 0);
  };
  EXPECT_EQ(growth("score_count"), 4);
  EXPECT_EQ(growth("embedded"), 2);
}

TEST(Claims, VectorsAreRowsInEveryFormula) {
  for (const std::string& topic : explain_topics())
    for (const Level level : test::kLevels)
      for (const Step& step : explain(asking(topic, level)).steps)
        for (const char* column : {"ᵀ·ReLU(", "_1ᵀ·", "_2ᵀ·", "R(k)·PE", "W·x"})
          EXPECT_FALSE(holds(step.formula + step.text, column)) << topic << ": " << step.formula;
  const Lesson block = explain(asking("encoder-block", Level::math));
  EXPECT_TRUE(holds(step_of(block, "block").formula, "Y = LN(Z + ReLU(Z·W_1)·W_2)"));
  Matrix wide = plain::product(table_of(block, "z"), table_of(block, "w_1"));
  for (double& x : wide.values) x = std::max(x, 0.0);
  expect_digits(table_of(block, "narrow"), plain::product(wide, table_of(block, "w_2")), 9);
}

// Two sentences attention cannot tell apart have the same words, in Korean with their particles.
TEST(Claims, SentencesThatDifferInOrderAloneHaveTheSameWords) {
  for (const Lang lang : test::kLangs) {
    const std::string text =
        step_of(explain(asking("positions", Level::story, lang)), "order").text;
    std::vector<std::multiset<std::string>> sentences;
    for (size_t open = text.find('"'); open != std::string::npos;) {
      const size_t close = text.find('"', open + 1);
      std::multiset<std::string> words;
      for (size_t at = open + 1; at < close;) {
        const size_t end = std::min(text.find(' ', at), close);
        words.insert(text.substr(at, end - at));
        at = end + 1;
      }
      sentences.push_back(words);
      open = text.find('"', close + 1);
    }
    ASSERT_EQ(sentences.size(), 2u) << text;
    EXPECT_EQ(sentences[0], sentences[1]) << text;
  }
}

TEST(Claims, TheShapeOfAStepIsThatOfItsLastTable) {
  for (const std::string& topic : explain_topics()) {
    // Their shapes are of all positions and of all heads, of which tables show a few.
    if (topic == "positions" || topic == "multihead") continue;
    for (const Level level : {Level::student, Level::math})
      for (const Step& step : explain(asking(topic, level)).steps) {
        const bool chain = step.shape.find(" -> ") != std::string::npos;
        if (!chain || step.tables.empty() || step.tables.back().rule.empty()) continue;
        const Matrix& last = step.tables.back().values;
        const std::string end = step.shape.substr(step.shape.rfind(" -> ") + 4);
        const bool scalar = last.size() == 1;  // a count of what the shape names
        if (!scalar && end.find_first_of("HBT") == std::string::npos && last.rows > 1) {
          EXPECT_EQ(end, shape_text(last)) << topic << " " << step.name << ": " << step.shape;
        }
      }
  }
  EXPECT_EQ(step_of(explain(asking("sentence-matrix")), "cosines").shape, "[3,3], [3,3] -> [3,3]");
}

TEST(Claims, TheTransposeOfTheExampleIsAnotherTable) {
  const Lesson lesson = explain(asking("transpose"));
  const Matrix scores = table_of(lesson, "scores"), other = table_of(lesson, "transposed");
  EXPECT_NE(scores, other);
  EXPECT_EQ(transposed(scores), other);
}

TEST(Claims, DropoutsPicturesHaveOneScale) {
  const Lesson lesson = explain(asking("dropout"));
  ASSERT_EQ(lesson.pictures.size(), 2u);
  for (const Picture& picture : lesson.pictures) {
    EXPECT_FALSE(picture.diverging);
    EXPECT_EQ(picture.low, 0);
    EXPECT_EQ(picture.high, lesson.pictures[0].high);
    EXPECT_GE(picture.high, plain::largest(picture.values));
  }
}

TEST(Claims, ErrataShowTheWrongNumbersBesideTheRight) {
  const Lesson lesson = explain(asking("errata"));
  EXPECT_EQ(table_of(lesson, "scores"), (Matrix{{1, 1, 2}, {1, 1, 0}, {2, 0, 1}}));
  EXPECT_EQ(table_of(lesson, "claimed_scores"), (Matrix{{2, 2, 4}, {2, 2, 0}, {4, 0, 2}}));
  EXPECT_EQ(table_of(lesson, "claimed_share"), (Matrix{{1, 1, 1}}));
  expect_digits(table_of(lesson, "share"), {{1, 0.707107, 0.5}}, 6);
}

}  // namespace
}  // namespace jogak
