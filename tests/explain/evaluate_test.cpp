#include "tests/explain/evaluate.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/explain/lessons.h"
#include "tests/explain/random_inputs.h"

namespace jogak {
namespace {

using test::asking;
using test::check_work;

TEST(CheckWork, AcceptsWhatIsRight) {
  EXPECT_EQ(check_work("1·4 + 2·5 + 3·6 = 32"), "");
  EXPECT_EQ(check_work("q1·k1 = 1·1 + 0·(-2) = 1"), "");
  EXPECT_EQ(check_work("exp(0.1 - 2) = 0.149569"), "");
  EXPECT_EQ(check_work("7.389056 / 11.212509 = 0.659001"), "");
  EXPECT_EQ(check_work("√(2.666667 + 1e-05) = 1.632996"), "");
  EXPECT_EQ(check_work("10000^(2/4) = 100"), "");
  EXPECT_EQ(check_work("cos(0.0100000) = 0.9999500"), "");
  EXPECT_EQ(check_work("2·π·1 = 6.2832"), "");
}

TEST(CheckWork, RefusesWhatIsWrong) {
  EXPECT_NE(check_work("1·4 + 2·5 + 3·6 = 33"), "");
  EXPECT_NE(check_work("exp(2) = 7.389058"), "");
  EXPECT_NE(check_work("7.389056 / 11.212509 = 0.659003"), "");
  EXPECT_NE(check_work("cos(0.01) = 0.99"), "");
  EXPECT_NE(check_work("1 + = 2"), "");
  EXPECT_NE(check_work("1 2 = 2"), "");
  EXPECT_NE(check_work("nothing"), "");
}

void expect_all_work(const Lesson& lesson) {
  for (const Step& step : lesson.steps)
    for (const std::string& line : step.work) {
      EXPECT_EQ(check_work(line), "") << lesson.topic << ", " << step.name << ": " << line;
      const std::string left = line.substr(0, line.rfind(" = "));
      for (const char* bare : {"·-", "+ -", "- -", "/ -"})
        EXPECT_EQ(left.find(bare), std::string::npos) << "no parentheses: " << line;
    }
}

TEST(WorkByHand, HoldsInEveryLesson) {
  size_t lines = 0;
  for (const std::string& topic : explain_topics())
    for (const Level level : test::kLevels) {
      const Lesson lesson = explain(asking(topic, level));
      expect_all_work(lesson);
      for (const Step& step : lesson.steps) lines += step.work.size();
    }
  EXPECT_GE(lines, 50u);
}

// Numbers as people type them: up to three decimals.
Matrix typed(Rng& rng, int64_t rows, int64_t columns, double size) {
  Matrix out(rows, columns);
  for (double& x : out.values) x = std::round((rng.uniform() * 2 - 1) * size * 1000) / 1000;
  return out;
}

TEST(WorkByHand, HoldsForRandomInputs) {
  Rng rng(7);
  for (int round = 0; round < 250; ++round) {
    const auto side = [&] { return static_cast<int64_t>(1 + rng.below(6)); };
    const int64_t n = side(), m = side(), d = side(), size = side();
    ExplainRequest softmax = asking("softmax"), norm = asking("layernorm");
    softmax.inputs["x"] = typed(rng, 1, size, round % 5 ? 10 : 2000);
    norm.inputs["x"] = typed(rng, 1, size, round % 3 ? 10 : 1000);
    norm.inputs["gamma"] = typed(rng, 1, size, 2);
    norm.inputs["beta"] = typed(rng, 1, size, 2);
    ExplainRequest attention = asking("attention");
    attention.inputs["q"] = typed(rng, n, d, 3);
    attention.inputs["k"] = typed(rng, m, d, 3);
    attention.inputs["v"] = typed(rng, m, side(), 10);
    ExplainRequest masks = asking("masks");
    masks.inputs["scores"] = typed(rng, n, n, 5);
    for (const ExplainRequest* request : {&softmax, &norm, &attention, &masks})
      expect_all_work(explain(*request));
  }
}

TEST(WorkByHand, HoldsForRandomInputsOfEveryTopic) {
  Rng rng(11);
  for (int round = 0; round < 20; ++round)
    for (const std::string& topic : explain_topics())
      if (test::can_randomise(topic)) expect_all_work(explain(test::random_request(topic, rng)));
}

}  // namespace
}  // namespace jogak
