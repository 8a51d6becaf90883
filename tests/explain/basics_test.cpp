// The numbers of the curriculum: vectors and matrices, probability and loss.
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/explain/lessons.h"

namespace jogak {
namespace {

using test::asking;
using test::expect_digits;
using test::table_of;

TEST(Dot, IsThirtyTwoWithItsCosineBeside) {
  for (const Level level : test::kLevels) {
    const Lesson lesson = explain(asking("dot", level));
    EXPECT_EQ(table_of(lesson, "dot"), (Matrix{{32}}));
    expect_digits(table_of(lesson, "cosine"), {{0.974632}}, 6);
  }
  const Lesson lesson = explain(asking("dot"));
  EXPECT_EQ(table_of(lesson, "dot_twice"), (Matrix{{64}}));  // larger, and not more alike
  expect_digits(table_of(lesson, "cosine_twice"), {{0.974632}}, 6);
}

TEST(Dot, AVectorWithoutLengthHasNoCosine) {
  ExplainRequest request = asking("dot");
  request.inputs = {{"a", {{0, 0}}}, {"b", {{1, 2}}}};
  const Lesson lesson = explain(request);
  EXPECT_EQ(table_of(lesson, "dot"), (Matrix{{0}}));
  EXPECT_EQ(test::find_table(lesson, "cosine"), nullptr);
}

TEST(Matmul, RowByColumn) {
  for (const Level level : test::kLevels)
    EXPECT_EQ(table_of(explain(asking("matmul", level)), "product"), (Matrix{{19, 22}, {43, 50}}));
  const Lesson lesson = explain(asking("matmul"));
  EXPECT_EQ(lesson.steps.at(1).work.at(0), "first_row_1 = 1·5 + 2·7 = 19");
  EXPECT_EQ(lesson.steps.at(2).work.at(1), "product_2,2 = 3·6 + 4·8 = 50");
  EXPECT_EQ(table_of(lesson, "swapped"), (Matrix{{23, 34}, {31, 46}}));
}

TEST(Transpose, LetsEveryQueryMeetEveryKey) {
  const Lesson lesson = explain(asking("transpose"));
  EXPECT_EQ(table_of(lesson, "k_t"), (Matrix{{1, 0}, {1, 2}, {0, 1}, {0, 1}}));
  EXPECT_EQ(table_of(lesson, "scores"), (Matrix{{1, 1}, {1, 3}, {2, 2}}));
  EXPECT_EQ(table_of(lesson, "transposed"), (Matrix{{1, 1, 2}, {1, 3, 2}}));
}

TEST(Sentence, WordsAgainstWords) {
  for (const Level level : test::kLevels)
    expect_digits(table_of(explain(asking("sentence-matrix", level)), "likeness"),
                  {{0.93, -0.45, 0.94}, {-0.45, 0.62, -0.43}, {0.94, -0.43, 0.98}}, 6);
}

TEST(Sentence, TakesWordsOfOnesOwn) {
  ExplainRequest request = asking("sentence-matrix");
  request.words = {"고양이", "좋아"};
  request.inputs = {{"x", {{1, 2}, {3, 4}}}};
  EXPECT_EQ(test::find_table(explain(request), "x")->rows, request.words);
  request.words.push_back("정말");
  EXPECT_THROW(explain(request), UsageError);
  request.topic = "matmul";
  request.inputs.clear();
  EXPECT_THROW(explain(request), UsageError);
}

TEST(CrossEntropy, OfSevenTenths) {
  for (const Level level : test::kLevels)
    expect_digits(table_of(explain(asking("cross-entropy", level)), "loss"), {{0.356675}}, 6);
  const Lesson lesson = explain(asking("cross-entropy"));
  expect_digits(table_of(lesson, "perplexity"), {{1.428571}}, 6);
  expect_digits(table_of(lesson, "inverse"), {{1.428571}}, 6);
}

TEST(Smoothing, SharesATenth) {
  const Lesson lesson = explain(asking("smoothing"));
  expect_digits(table_of(lesson, "smoothed"), {{0.033333, 0.933333, 0.033333}}, 6);
  expect_digits(table_of(lesson, "loss_hard"), {{0.356675}}, 6);
  const Lesson math = explain(asking("smoothing", Level::math));
  expect_digits(table_of(math, "loss_smoothed"), table_of(lesson, "loss_smoothed"), 9);
  EXPECT_GT(table_of(math, "floor").at(0, 0), 0);
}

TEST(Forcing, OneWrongWordSpoilsWhatFollows) {
  const Lesson lesson = explain(asking("forcing"));
  expect_digits(table_of(lesson, "teacher_right"), {{0.4}, {0.8}, {0.8}}, 6);
  EXPECT_EQ(table_of(lesson, "own"), (Matrix{{1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}}));
  expect_digits(table_of(lesson, "free_right"), {{0.4}, {0.1}, {0.6}}, 6);
  EXPECT_GT(table_of(lesson, "free_loss").at(0, 0), table_of(lesson, "teacher_loss").at(0, 0));
}

TEST(Scale, SaturationStopsLearning) {
  const Lesson lesson = explain(asking("scale"));
  const auto first = [&](const char* name) {
    const Matrix m = table_of(lesson, name);
    const auto row = m.row(0);
    return Matrix::row_of({row.begin(), row.end()});
  };
  expect_digits(first("plain"), {{0.992976, 0.006691, 0.000333}}, 6);
  expect_digits(first("divided"), {{0.525447, 0.281252, 0.193301}}, 6);
  expect_digits(table_of(lesson, "divided"),
                {{0.525447, 0.281252, 0.193301},
                 {0.191815, 0.590831, 0.217355},
                 {0.121809, 0.177231, 0.700961}},
                6);
  EXPECT_NEAR(table_of(lesson, "slope_plain").at(0, 0), 0.0070, 5e-5);
  EXPECT_NEAR(table_of(lesson, "slope_divided").at(0, 0), 0.2494, 5e-5);
}

TEST(Shapes, FiveHundredTwelveIsEightTimesSixtyFour) {
  const Lesson lesson = explain(asking("shapes"));
  EXPECT_EQ(table_of(lesson, "d_model"), (Matrix{{512}}));
  EXPECT_EQ(table_of(lesson, "embedded"), (Matrix{{16 * 128 * 512}}));
  const std::string text = to_text(lesson, false, 400);
  for (const char* shape :
       {"8·64 = 512", "[16,128] -> [16,128,512]", "[16,128,512] -> [16,128,8,64] -> [16,8,128,64]",
        "[10,512] -> [10,8,64] -> [8,10,64]", "[16,8,128,64]·[16,8,64,128] -> [16,8,128,128]"})
    EXPECT_NE(text.find(shape), std::string::npos) << shape;
}

TEST(Wirings, TheSameBlocksThreeTimes) {
  const Lesson lesson = explain(asking("wirings"));
  EXPECT_EQ(table_of(lesson, "masked"), (Matrix{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
  ASSERT_EQ(lesson.pictures.size(), 3u);
  for (const Picture& picture : lesson.pictures) {
    EXPECT_EQ(picture.kind, Picture::Kind::diagram);
    size_t attention = 0, feed_forward = 0;
    for (const DiagramLane& lane : picture.lanes)
      for (const DiagramBox& box : lane.boxes) {
        attention += box.part == DiagramBox::Part::attention;
        feed_forward += box.part == DiagramBox::Part::feed_forward;
      }
    EXPECT_EQ(attention, picture.lanes.size());
    EXPECT_EQ(feed_forward, picture.lanes.size());
  }
  const Picture& both = lesson.pictures[0];
  const DiagramLink& link = both.links.at(0);
  EXPECT_EQ(link.from, both.lanes[0].boxes.size() - 1);  // the last layer's output
  EXPECT_EQ(both.lanes[1].boxes.at(link.to).part, DiagramBox::Part::cross);
}

TEST(ShapesOfInputs, AreHeldTogether) {
  const std::pair<ExplainRequest, std::string> cases[] = {
      {{.topic = "dot", .inputs = {{"a", {{1, 2}}}}},
       "dot: b: found 3 columns, wanted 2 as in a (these are the example's: give --b too)"},
      {{.topic = "matmul", .inputs = {{"a", {{1, 2}}}, {"b", {{1, 2}}}}},
       "matmul: b: found 1 rows, wanted 2 as in a"},
      {{.topic = "cross-entropy", .inputs = {{"p", {{0.5, 0.6}}}}},
       "cross-entropy: p: row 1: found a sum of 1.1, wanted 1"},
      {{.topic = "forcing", .inputs = {{"next", {{1}}}}}, "forcing: next: found 1 rows, wanted 4"},
      {{.topic = "scale", .inputs = {{"d_k", {{0}}}}}, "scale: d_k: found 0, wanted 1 to 4096"},
  };
  for (const auto& [request, message] : cases) {
    try {
      explain(request);
      ADD_FAILURE() << "accepted, wanted: " << message;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace jogak
