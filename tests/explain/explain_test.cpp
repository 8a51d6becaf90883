#include "explain/explain.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/explain/lessons.h"

namespace jogak {
namespace {

using test::asking;
using test::expect_digits;
using test::table_of;

bool shows(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Softmax, TwoOneTenth) {
  const Lesson lesson = explain(asking("softmax"));
  expect_digits(table_of(lesson, "exp"), {{7.389056, 2.718282, 1.105171}}, 6);
  expect_digits(table_of(lesson, "sum"), {{11.212509}}, 6);
  for (const char* name : {"p", "p_shifted", "large_p"})
    expect_digits(table_of(lesson, name), {{0.659001, 0.242433, 0.098566}}, 6);
  const std::string text = to_text(lesson, false);
  for (const char* number :
       {"7.389056", "2.718282", "1.105171", "11.212509", "0.659001", "0.242433", "0.098566"})
    EXPECT_TRUE(shows(text, number)) << number;
}

TEST(Softmax, HugeAndTinyScoresNeverOverflow) {
  for (const double at : {-1e6, -900.0, 900.0, 1e6}) {
    ExplainRequest request = asking("softmax");
    request.inputs["x"] = Matrix::row_of({at, at - (at > 0 ? 1.0 : -1.0)});
    const Lesson lesson = explain(request);
    EXPECT_EQ(test::find_table(lesson, "exp"), nullptr);
    const Matrix p = table_of(lesson, "p_shifted");
    EXPECT_NEAR(std::max(p.at(0, 0), p.at(0, 1)), 0.731059, 5e-7);
    EXPECT_EQ(to_text(lesson, false).find("NaN\n"), std::string::npos);
  }
}

const Matrix kFull = {
    {0.274069, 0.274069, 0.451863}, {0.383652, 0.383652, 0.232697}, {0.506480, 0.186324, 0.307196}};
const Matrix kFullOutput = {{5.711177, 6.711177, 7.711177, 8.711177},
                            {4.396179, 5.396179, 6.396179, 7.396179},
                            {4.202862, 5.202862, 6.202862, 7.202862}};
const Matrix kCausal = {{1, 0, 0}, {0.5, 0.5, 0}, {0.506480, 0.186324, 0.307196}};
const Matrix kCausalOutput = {{1, 2, 3, 4}, {3, 4, 5, 6}, {4.202862, 5.202862, 6.202862, 7.202862}};

TEST(Attention, WorkedExample) {
  const Lesson lesson = explain(asking("attention"));
  EXPECT_EQ(table_of(lesson, "scores"), (Matrix{{1, 1, 2}, {1, 1, 0}, {2, 0, 1}}));
  expect_digits(table_of(lesson, "weights"), kFull, 6);
  expect_digits(table_of(lesson, "output"), kFullOutput, 6);
  expect_digits(table_of(lesson, "causal_weights"), kCausal, 6);
  expect_digits(table_of(lesson, "causal_output"), kCausalOutput, 6);
}

TEST(Attention, WithCausalMask) {
  ExplainRequest request = asking("attention");
  request.causal = true;
  const Lesson lesson = explain(request);
  EXPECT_EQ(table_of(lesson, "mask"), (Matrix{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
  expect_digits(table_of(lesson, "weights"), kCausal, 6);
  expect_digits(table_of(lesson, "output"), kCausalOutput, 6);
  expect_digits(table_of(lesson, "full_weights"), kFull, 6);
  expect_digits(table_of(lesson, "full_output"), kFullOutput, 6);
}

TEST(Attention, AFullyMaskedRowIsZero) {
  ExplainRequest request = asking("attention");
  request.inputs["mask"] = {{1, 1, 1}, {0, 0, 0}, {1, 0, 1}};
  for (const Level level : test::kLevels) {
    request.level = level;
    const Lesson lesson = explain(request);
    const Matrix weights = table_of(lesson, "weights"), output = table_of(lesson, "output");
    for (int64_t j = 0; j < 3; ++j) EXPECT_EQ(weights.at(1, j), 0);
    for (int64_t j = 0; j < 4; ++j) EXPECT_EQ(output.at(1, j), 0);
    for (const Step& step : lesson.steps)
      for (const Table& table : step.tables)
        for (const double x : table.values.values) EXPECT_FALSE(std::isnan(x)) << table.name;
  }
  EXPECT_EQ(table_of(explain(asking("attention")), "empty_weights"), Matrix(1, 3));
}

TEST(Attention, WhyDivide) {
  const Lesson lesson = explain(asking("attention"));
  const Matrix plain = table_of(lesson, "why_plain"), divided = table_of(lesson, "why_divided");
  expect_digits(Matrix::row_of({plain.at(0, 0), plain.at(0, 1), plain.at(0, 2)}),
                {{0.992976, 0.006691, 0.000333}}, 6);
  expect_digits(divided,
                {{0.525447, 0.281252, 0.193301},
                 {0.191815, 0.590831, 0.217355},
                 {0.121809, 0.177231, 0.700961}},
                6);
  EXPECT_NEAR(table_of(lesson, "why_slope_plain").at(0, 0), 0.0070, 5e-5);
  EXPECT_NEAR(table_of(lesson, "why_slope_divided").at(0, 0), 0.2494, 5e-5);
}

TEST(Masks, BothWaysGiveTheSameWeights) {
  const Lesson lesson = explain(asking("masks"));
  EXPECT_EQ(table_of(lesson, "causal"),
            (Matrix{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}}));
  EXPECT_EQ(table_of(lesson, "padding"),
            (Matrix{{1, 1, 1, 0}, {1, 1, 1, 0}, {1, 1, 1, 0}, {1, 1, 1, 0}}));
  EXPECT_EQ(table_of(lesson, "mask"),
            (Matrix{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 0}}));
  EXPECT_EQ(table_of(lesson, "filled_weights"), table_of(lesson, "multiplied_weights"));
  const Matrix front = table_of(lesson, "front_weights"), even = table_of(lesson, "front_filled");
  for (int64_t j = 0; j < 4; ++j) {
    EXPECT_EQ(front.at(0, j), 0);
    EXPECT_EQ(even.at(0, j), 0.25);
  }
}

TEST(Positions, FourDimensions) {
  const Lesson lesson = explain(asking("positions"));
  const Matrix pe = table_of(lesson, "pe");
  const double first[] = {0, 1, 0, 1};
  for (int64_t j = 0; j < 4; ++j) EXPECT_EQ(pe.at(0, j), first[j]);
  EXPECT_NEAR(pe.at(1, 0), 0.841471, 5e-7);
  EXPECT_NEAR(pe.at(1, 1), 0.540302, 5e-7);
  EXPECT_NEAR(pe.at(1, 2), 0.0099998, 5e-8);
  EXPECT_NEAR(pe.at(1, 3), 0.99995, 5e-6);
  const std::string text = to_text(lesson, false);
  for (const char* number : {"0.841471", "0.540302", "0.0099998", "0.99995"})
    EXPECT_TRUE(shows(text, number)) << number;
}

TEST(Positions, WavelengthsOfFiveHundredTwelve) {
  const Lesson lesson = explain(asking("positions"));
  const Matrix waves = table_of(lesson, "waves");
  const int64_t last = waves.rows - 1;
  EXPECT_EQ(waves.at(0, 0), 1);
  EXPECT_NEAR(waves.at(last, 0), 9646.6, 0.05);
  EXPECT_NEAR(waves.at(0, 1), 6.2832, 5e-5);
  EXPECT_NEAR(waves.at(last, 1), 60611, 0.5);
  for (int64_t i = 1; i <= last; ++i) EXPECT_GT(waves.at(i, 1), waves.at(i - 1, 1));
}

TEST(Positions, DotProductsDependOnDistanceAlone) {
  const Lesson lesson = explain(asking("positions"));
  const Matrix wanted = {{256, 249.102, 231.734, 184.965, 124.260},
                         {256, 249.102, 231.734, 184.965, 124.260}};
  expect_digits(table_of(lesson, "dots"), wanted, 3);
  const std::string text = to_text(lesson, false);
  EXPECT_TRUE(shows(text, "256.000  249.102  231.734  184.965  124.260"));
}

TEST(Positions, LowPairsTellNeighboursApartSlowerOnesTheHalves) {
  const Matrix moves = table_of(explain(asking("positions")), "moves");
  int64_t near = 0, far = 0;
  for (int64_t i = 0; i < moves.rows; ++i) {
    if (moves.at(i, 0) > moves.at(near, 0)) near = i;
    if (moves.at(i, 1) > moves.at(far, 1)) far = i;
  }
  EXPECT_EQ(near, 0);
  EXPECT_GT(far, 0);
  EXPECT_LT(moves.at(moves.rows - 1, 1), 0.01);
}

TEST(Positions, HeatMapHasEveryPositionAndDimension) {
  ExplainRequest request = asking("positions");
  request.inputs = {{"d", {{6}}}, {"length", {{9}}}};
  const Picture map = explain(request).pictures.at(0);
  EXPECT_EQ(map.values.rows, 9);
  EXPECT_EQ(map.values.columns, 6);
  EXPECT_TRUE(map.diverging);
  EXPECT_EQ(map.y_title, "position");
  request.transpose = true;
  const Picture other = explain(request).pictures.at(0);
  EXPECT_EQ(other.values.rows, 6);
  EXPECT_EQ(other.y_title, "dimension");
  EXPECT_EQ(other.values.at(3, 2), map.values.at(2, 3));
}

TEST(LayerNorm, TwoFourSix) {
  const Lesson lesson = explain(asking("layernorm"));
  EXPECT_EQ(table_of(lesson, "mean").at(0, 0), 4);
  expect_digits(table_of(lesson, "normalised"), {{-1.224743, 0, 1.224743}}, 6);
  expect_digits(table_of(lesson, "slip"), {{-1, 0, 1}}, 4);
  EXPECT_EQ(table_of(lesson, "other"), (Matrix{{2, 4, 9}}));
  EXPECT_EQ(table_of(lesson, "other_middle"), (Matrix{{5, 4}}));
}

TEST(LayerNorm, EqualFeaturesGiveZeroNotNaN) {
  ExplainRequest request = asking("layernorm");
  request.inputs["x"] = {{3, 3, 3, 3}};
  for (const Level level : test::kLevels) {
    request.level = level;
    EXPECT_EQ(table_of(explain(request), "normalised"), Matrix(1, 4));
  }
}

struct Wrong {
  ExplainRequest request;
  std::string message;
};

ExplainRequest with(const std::string& topic, std::map<std::string, Matrix> inputs) {
  ExplainRequest request = asking(topic);
  request.inputs = std::move(inputs);
  return request;
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

TEST(ExplainErrors, SayWhatWasFoundAndWanted) {
  ExplainRequest causal = with("attention", {{"q", {{1}}}, {"k", {{1}, {2}}}, {"v", {{1}, {2}}}});
  causal.causal = true;
  ExplainRequest causal_softmax = asking("softmax"), transposed_softmax = asking("softmax");
  causal_softmax.causal = true;
  transposed_softmax.transpose = true;
  const Matrix q = {{1, 2}, {3, 4}}, wide = {{1, 2, 3}};
  const Wrong cases[] = {
      {asking("atention"), "explain: found topic \"atention\", wanted one of " +
                               listed(explain_topics()) + " (did you mean \"attention\"?)"},
      {with("softmax", {{"y", {{1}}}}), "softmax: found input \"y\", wanted one of x"},
      {with("layernorm", {{"gama", {{1}}}}),
       "layernorm: found input \"gama\", wanted one of x, gamma, beta, eps (did you mean "
       "\"gamma\"?)"},
      {with("softmax", {{"x", {{1}, {2}}}}), "softmax: x: found 2 rows, wanted one"},
      {with("softmax", {{"x", {{1, NAN}}}}),
       "softmax: x: row 1, column 2: found nan, wanted a finite number"},
      {with("attention", {{"q", q}}),
       "attention: k: found 4 columns, wanted 2 as in q (these are the example's: give --k too)"},
      {with("attention", {{"q", q}, {"k", wide}, {"v", q}}),
       "attention: k: found 3 columns, wanted 2 as in q"},
      {with("attention", {{"q", q}, {"k", q}, {"v", wide}}),
       "attention: v: found 1 rows, wanted 2 as in k"},
      {with("attention", {{"mask", {{1, 0}, {0, 1}}}}),
       "attention: mask: found 2 rows, wanted 3 as in q"},
      {with("attention", {{"mask", Matrix(3, 3, 2)}}), "attention: mask: found 2, wanted 0 or 1"},
      {causal, "attention: causal mask: found 1 queries and 2 keys, wanted as many of each"},
      {causal_softmax, "softmax: found a causal mask, which only attention takes"},
      {transposed_softmax, "softmax: found transpose, which only heat maps take"},
      {with("masks", {{"scores", wide}}), "masks: scores: found shape [3], wanted a square"},
      {with("masks", {{"padding", {{1, 1, 0}}}}),
       "masks: padding: found 3 columns, wanted 4 as in scores"},
      {with("masks", {{"padding", wide}}), "masks: padding: found 2, wanted 0 or 1"},
      {with("positions", {{"d", {{5}}}}),
       "positions: d: found 5, wanted an even number from 2 to 512"},
      {with("positions", {{"d", {{4.5}}}}), "positions: d: found 4.5, wanted a whole number"},
      {with("positions", {{"length", {{1}}}}), "positions: length: found 1, wanted 2 to 256"},
      {with("layernorm", {{"gamma", q}}), "layernorm: gamma: found 2 rows, wanted one"},
      {with("layernorm", {{"gamma", {{1, 2}}}}),
       "layernorm: gamma: found 2 columns, wanted 3 as in x"},
      {with("layernorm", {{"eps", {{0}}}}), "layernorm: eps: found 0, wanted 1e-12 to 1"},
  };
  for (const Wrong& wrong : cases) {
    try {
      explain(wrong.request);
      ADD_FAILURE() << "accepted, wanted: " << wrong.message;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), wrong.message);
    }
  }
}

TEST(ExplainErrors, UnknownLevelAndLibrary) {
  EXPECT_EQ(parse_level("math"), Level::math);
  for (const Level level : test::kLevels) EXPECT_EQ(parse_level(level_name(level)), level);
  EXPECT_THROW(parse_level("maths"), UsageError);
  EXPECT_THROW(to_code(explain(asking("softmax")), "jax"), UsageError);
}

TEST(Topics, HaveTitlesAndInputs) {
  for (const std::string& topic : explain_topics()) {
    EXPECT_EQ(topic_inputs(topic).empty(), topic == "errata") << topic;  // its numbers are given
    EXPECT_NE(topic_title(topic, Lang::ko), topic_title(topic, Lang::en));
  }
  EXPECT_THROW(topic_title("nothing", Lang::en), UsageError);
}

}  // namespace
}  // namespace jogak
