#include "explain/exercises.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/format.h"
#include "draw/numbers.h"
#include "explain/explain.h"
#include "explain/written_numbers.h"

namespace jogak {
namespace {

// Fills in every answer with what `answer` says.
template <class F>
std::string filled_in(int chapter, uint64_t seed, Lang lang, F answer) {
  std::string out;
  const std::string sheet = exercise_sheet(chapter, seed, lang);
  const std::string label = lang == Lang::ko ? "답:\n" : "answer:\n";
  int number = 0, at_chapter = chapter ? chapter : 1;
  for (size_t at = 0; at < sheet.size();) {
    const size_t end = sheet.find('\n', at) + 1;
    std::string line = sheet.substr(at, end - at);
    at = end;
    if (line == label) {
      if (++number > kExercisesInChapter) {
        number = 1;
        ++at_chapter;
      }
      line.insert(line.size() - 1, " " + answer(make_exercise(at_chapter, number, seed, lang)));
    }
    out += line;
  }
  return out;
}

std::string rounded_answer(const Exercise& e) {
  std::string out;
  for (const double x : e.answer.values) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", e.digits, x);
    out += (out.empty() ? "" : ", ") + std::string(text);
  }
  return out;
}

TEST(Exercises, EightChaptersOfFive) {
  const std::vector<std::string> topics = explain_topics();
  std::set<std::string> questions;
  for (int chapter = 1; chapter <= kChapters; ++chapter)
    for (int number = 1; number <= kExercisesInChapter; ++number) {
      const Exercise e = make_exercise(chapter, number, 1, Lang::en);
      EXPECT_TRUE(questions.insert(e.question).second) << e.id;
      EXPECT_FALSE(e.given.empty() || e.solution.empty()) << e.id;
      EXPECT_TRUE(std::find(topics.begin(), topics.end(), e.topic) != topics.end())
          << e.id << " points to " << e.topic;
      EXPECT_NE(e.question, make_exercise(chapter, number, 1, Lang::ko).question);
    }
  EXPECT_EQ(questions.size(), 40u);
}

TEST(Exercises, NumbersFollowTheSeedAlone) {
  EXPECT_EQ(exercise_sheet(0, 7, Lang::ko), exercise_sheet(0, 7, Lang::ko));
  EXPECT_NE(exercise_sheet(3, 7, Lang::en), exercise_sheet(3, 8, Lang::en));
  EXPECT_EQ(make_exercise(3, 3, 7, Lang::en).answer, make_exercise(3, 3, 7, Lang::ko).answer);
}

TEST(Exercises, NumbersAreReadAsPeopleWriteThem) {
  using Lists = std::vector<std::vector<double>>;
  EXPECT_EQ(readings_of("2,912"), (Lists{{2, 912}, {2912}}));
  EXPECT_EQ(readings_of("1,234,567개"), (Lists{{1, 234, 567}, {1234567}}));
  const std::pair<const char*, std::vector<double>> cases[] = {
      {"２９１２", {2912}},  {"０．５，－１", {0.5, -1}},
      {"2912 개", {2912}},   {"3.5배.", {3.5}},
      {"70%", {0.7}},        {"70 %", {0.7}},
      {"1/2、 3", {0.5, 3}}, {"[1; 2]", {1, 2}},
      {"0.25 bits", {0.25}}, {"−3", {-3}}};
  for (const auto& [written, wanted] : cases) {
    const Lists lists = readings_of(written);
    ASSERT_FALSE(lists.empty()) << written;
    EXPECT_EQ(lists[0], wanted) << written;
  }
  for (const char* other : {"많음", "1a2", "개 3"})
    EXPECT_TRUE(readings_of(other).empty()) << other;
}

TEST(Exercises, ThousandsAreRight) {
  const auto counted = [](const Exercise& e) {
    return format_count(std::llround(e.answer.values[0])) + "개";
  };
  const auto marks = mark_sheet(filled_in(4, 1, Lang::ko, counted), "sheet", Lang::ko);
  EXPECT_NE(marks[1].written.find(','), std::string::npos);  // the weights of an attention
  EXPECT_EQ(marks[1].kind, Mark::Kind::right) << marks[1].written;
}

TEST(Exercises, RoundedAnswersAreRightAndOthersWrong) {
  for (const uint64_t seed : {0, 1, 2, 3, 99}) {
    const Lang lang = seed % 2 ? Lang::ko : Lang::en;
    const auto right = mark_sheet(filled_in(0, seed, lang, rounded_answer), "sheet", lang);
    ASSERT_EQ(right.size(), 40u);
    EXPECT_TRUE(all_right(right)) << marks_text(right, lang);
    const auto wrong = mark_sheet(filled_in(0, seed, lang,
                                            [](const Exercise& e) {
                                              Exercise other = e;
                                              other.answer.values[0] += 3 * std::pow(10, -e.digits);
                                              return rounded_answer(other);
                                            }),
                                  "sheet", lang);
    for (const Mark& mark : wrong) EXPECT_EQ(mark.kind, Mark::Kind::wrong) << mark.exercise.id;
  }
}

// The same numbers by formulas written out here.
TEST(Exercises, AnswersAgainstFormulasWrittenOutAgain) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto answer = [&](int chapter, int number) {
      return make_exercise(chapter, number, seed, Lang::en);
    };
    const auto given = [](const Exercise& e, size_t which) {
      const std::string& line = e.given[which];
      return parse_matrix(line.substr(line.find("= ") + 2), "given");
    };
    const Exercise split = answer(4, 1);
    EXPECT_EQ(split.answer, (Matrix{{8, given(split, 0).at(0, 0), 64}}));
    const Exercise place = answer(5, 1);
    const double p = given(place, 0).at(0, 0);
    EXPECT_NEAR(place.answer.at(0, 0), std::sin(p), 1e-12);
    EXPECT_NEAR(place.answer.at(0, 3), std::cos(p / 100), 1e-12);
    const Exercise picture = answer(5, 2);
    EXPECT_EQ(picture.answer, (Matrix{{0, given(picture, 0).at(0, 0) / 2 - 1}}));
    const Exercise hand = answer(3, 3);
    const Matrix q = given(hand, 0), k = given(hand, 1), v = given(hand, 2);
    double total = 0, first = 0;
    for (int64_t i = 0; i < 3; ++i) {
      double score = 0;
      for (int64_t c = 0; c < 4; ++c) score += q.at(0, c) * k.at(i, c);
      total += std::exp(score / 2);
      first += std::exp(score / 2) * v.at(i, 0);
    }
    EXPECT_NEAR(hand.answer.at(0, 0), first / total, 1e-12);
    const Exercise norm = answer(6, 1);
    double squares = 0;
    for (const double x : norm.answer.values) squares += x * x;
    EXPECT_TRUE(std::abs(squares - 3) < 0.001 || squares == 0);
  }
}

TEST(Exercises, AnswersAreReadAsPeopleWriteThem) {
  Exercise e = make_exercise(1, 3, 1, Lang::en);  // four numbers
  e.answer = {{1, -2.5}, {0.333333, 4}};
  e.digits = 3;
  EXPECT_TRUE(answers_match({1, -2.5, 0.333, 4}, e));
  EXPECT_TRUE(answers_match({1.0005, -2.5, 1.0 / 3, 4}, e));
  EXPECT_FALSE(answers_match({1, -2.5, 0.33, 4}, e));
  EXPECT_FALSE(answers_match({1, -2.5, 0.333}, e));
  const std::string head = "# jogak exercises seed=1\r\n1.1 x\r\n";
  const double dot = make_exercise(1, 1, 1, Lang::en).answer.at(0, 0);
  for (const std::string& text : {exact_text(dot), "[" + exact_text(dot) + "]",
                                  "  +" + exact_text(std::abs(dot)), exact_text(dot * 2) + "/2"}) {
    if (dot < 0 && text.find('+') != std::string::npos) continue;
    EXPECT_TRUE(all_right(mark_sheet(head + "answer: " + text + "\r\n", "f", Lang::en))) << text;
  }
  for (const char* text : {"no idea", "1/0", "1e999", "nan", "1,,x"}) {
    const auto marks = mark_sheet(head + "답: " + text + "\n", "f", Lang::en);
    EXPECT_EQ(marks.at(0).kind, Mark::Kind::wrong) << text;
  }
  EXPECT_EQ(mark_sheet(head + "answer:\n", "f", Lang::en).at(0).kind, Mark::Kind::empty);
}

TEST(Exercises, AWrongAnswerGetsItsSolution) {
  const auto marks =
      mark_sheet("# jogak exercises seed=1\n2.1 x\nanswer: 1, 2, 3\n", "f", Lang::en);
  const std::string text = marks_text(marks, Lang::en);
  EXPECT_NE(text.find("2.1  wrong  1, 2, 3  wanted "), std::string::npos) << text;
  EXPECT_NE(text.find("powers = exp(x) = "), std::string::npos) << text;
  EXPECT_NE(text.find("jogak explain softmax"), std::string::npos) << text;
  EXPECT_NE(text.find("0 of 1 right."), std::string::npos) << text;
  const Json json = parse_json(marks_json(marks).dump(), "marks");
  EXPECT_EQ(json.find("right")->integer(), 0);
  EXPECT_EQ(json.find("answers")->items()[0].find("mark")->text(), "wrong");
}

TEST(Exercises, DamagedFilesAreRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "f: found nothing, wanted \"# jogak exercises seed=N\""},
      {"hello\n",
       "f: byte 0: found another first line, wanted \"# jogak exercises seed=N\" as jogak explain "
       "--exercises writes it"},
      {"# jogak exercises seed=x\n",
       "f: byte 0: found another first line, wanted \"# jogak exercises seed=N\" as jogak explain "
       "--exercises writes it"},
      {"# jogak exercises seed=1\n", "f: found no answers, wanted lines \"answer:\""},
      {"# jogak exercises seed=1\nanswer: 1\n",
       "f: byte 25: found an answer, wanted an exercise before it"},
      {"# jogak exercises seed=1\n9.1 x\n", "f: byte 25: found exercise 9.1, wanted 1.1 to 8.5"},
      {"# jogak exercises seed=1\n1.1 x\nanswer: 1\n1.1 y\n",
       "f: byte 41: found exercise 1.1 twice"},
  };
  for (const auto& [text, message] : cases) {
    try {
      mark_sheet(text, "f", Lang::en);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const FormatError& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
  EXPECT_THROW(make_exercise(0, 1, 1, Lang::en), UsageError);
  EXPECT_THROW(make_exercise(1, 6, 1, Lang::en), UsageError);
}

}  // namespace
}  // namespace jogak
