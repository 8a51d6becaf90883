// The curriculum's numbers of order, norms, feed-forward and learning (lines 17 to 32).
#include <gtest/gtest.h>

#include "tests/explain/lessons.h"

namespace jogak {
namespace {

using test::asking;
using test::expect_digits;
using test::table_of;

TEST(Order, AShuffledSentenceGivesTheSameVectorsShuffled) {
  const Lesson lesson = explain(asking("order"));
  for (const double gap : table_of(lesson, "difference").values) EXPECT_LT(gap, 1e-6);
  for (const double gap : table_of(lesson, "difference_placed").values) EXPECT_GT(gap, 1e-3);
  const Table* x = test::find_table(lesson, "x");
  EXPECT_EQ(x->rows, (std::vector<std::string>{"he", "hit", "me", "with", "a", "pie"}));
}

TEST(Distance, DependsOnKAlone) {
  const Lesson lesson = explain(asking("distance"));
  expect_digits(table_of(lesson, "wide"), {{256, 249.102, 231.734, 184.965, 124.260}}, 3);
  for (const double dot : table_of(lesson, "dot").values)
    EXPECT_NEAR(dot, table_of(lesson, "alike").at(0, 0), 1e-12);
}

TEST(BatchNorm, AgainstLayerNormOnTheSameNumbers) {
  const Lesson lesson = explain(asking("batchnorm"));
  expect_digits(table_of(lesson, "layer_mean"), {{4}, {0}, {7}}, 6);
  expect_digits(table_of(lesson, "batch_mean"), {{2, 4, 5}}, 6);
  const Matrix layer = table_of(lesson, "layer");
  EXPECT_NEAR(layer.at(0, 0), -1.224743, 5e-7);
  EXPECT_EQ(table_of(lesson, "alone_batch"), Matrix(1, 3));  // nothing to compare with
  expect_digits(table_of(lesson, "alone_layer"), {{-1.224743, 0, 1.224743}}, 6);
  EXPECT_GT(
      std::abs(table_of(lesson, "padded_batch").at(0, 0) - table_of(lesson, "batch").at(0, 0)),
      0.1);
}

TEST(Gelu, ByErfAndByTanh) {
  ExplainRequest request = asking("gelu");
  request.inputs["x"] = {{1, -1}};
  const Lesson lesson = explain(request);
  expect_digits(table_of(lesson, "gelu_tanh"), {{0.841192, -0.158808}}, 6);
  expect_digits(table_of(lesson, "gelu_erf"), {{0.841345, -0.158655}}, 6);
  expect_digits(table_of(lesson, "relu"), {{1, 0}}, 6);
  const Matrix lowest = table_of(lesson, "lowest");
  EXPECT_NEAR(lowest.at(0, 0), -0.752, 5e-4);
  EXPECT_NEAR(lowest.at(0, 1), -0.170, 5e-4);
  EXPECT_EQ(to_text(explain(request), false), to_text(lesson, false));  // nothing is drawn
}

TEST(FeedForward, WidensBendsAndNarrows) {
  const Lesson lesson = explain(asking("feedforward"));
  EXPECT_EQ(table_of(lesson, "ffn").at(0, 0), 2099712);
  const Matrix y = table_of(lesson, "y"), first = table_of(lesson, "first");
  for (int64_t j = 0; j < y.columns; ++j) EXPECT_EQ(first.at(0, j), y.at(0, j));
  expect_digits(table_of(lesson, "straight"), table_of(lesson, "straight_once"), 9);
  EXPECT_NE(to_text(lesson, false).find("[16,128,512] -> [16,128,2048] -> [16,128,512]"),
            std::string::npos);
}

TEST(Adam, OneStepByHand) {
  const Lesson lesson = explain(asking("adam"));
  expect_digits(table_of(lesson, "m"), {{0.01}}, 9);
  expect_digits(table_of(lesson, "v"), {{0.0002}}, 9);
  expect_digits(table_of(lesson, "m_hat"), {{0.1}}, 9);
  expect_digits(table_of(lesson, "v_hat"), {{0.01}}, 9);
  expect_digits(table_of(lesson, "update"), {{0.001}}, 9);  // the learning rate
  expect_digits(table_of(lesson, "larger_update"), {{0.001}}, 9);
}

TEST(WarmUp, PeaksAtFourThousandAndFallsFromThereOn) {
  const Lesson lesson = explain(asking("warmup"));
  const Matrix rate = table_of(lesson, "rate");
  EXPECT_NEAR(rate.at(0, 0), 1.746928e-7, 5e-14);
  EXPECT_NEAR(rate.at(0, 1), 1.746928e-4, 5e-11);
  EXPECT_NEAR(rate.at(0, 2), 6.987712e-4, 5e-11);
  EXPECT_NEAR(rate.at(0, 3), 4.941059e-4, 5e-11);
  EXPECT_NEAR(table_of(lesson, "share").at(0, 3), 0.707, 5e-4);
  const Picture curve = lesson.pictures.at(0);
  for (int64_t i = 1; i < curve.values.columns; ++i) {
    if (i <= 25) {
      EXPECT_GT(curve.values.at(0, i), curve.values.at(0, i - 1)) << i;
    } else {
      EXPECT_LT(curve.values.at(0, i), curve.values.at(0, i - 1)) << i;
    }
  }
  EXPECT_EQ(curve.columns.at(25), "4000");
}

TEST(Clipping, FifteenAtOne) {
  const Lesson lesson = explain(asking("clipping"));
  EXPECT_EQ(table_of(lesson, "norm").at(0, 0), 15);
  EXPECT_NEAR(table_of(lesson, "factor").at(0, 0), 1.0 / 15, 1e-15);
  EXPECT_NEAR(table_of(lesson, "clipped_norm").at(0, 0), 1, 1e-12);
  EXPECT_EQ(table_of(lesson, "small_factor").at(0, 0), 1);
  EXPECT_LT(table_of(lesson, "cosine").at(0, 0), 0.99);
}

TEST(PositionKinds, EachDoesWhatItSays) {
  const Lesson lesson = explain(asking("position-kinds"));
  EXPECT_NEAR(table_of(lesson, "score_near").at(0, 0), table_of(lesson, "score_far").at(0, 0),
              1e-12);
  EXPECT_GT(table_of(lesson, "later_scores").at(0, 1), 10000);  // the words no longer count
  const Matrix gentle = table_of(lesson, "gentle_weights"),
               steep = table_of(lesson, "steep_weights");
  EXPECT_LT(steep.at(0, 0), gentle.at(0, 0));  // what is far loses more
  const Matrix spread = table_of(lesson, "spread");
  EXPECT_EQ(spread, (Matrix{{0, 0.5, 0.2}, {-0.5, 0, 0.5}, {-1, -0.5, 0}}));
  expect_digits(table_of(lesson, "joined_way"), table_of(lesson, "parts_way"), 12);
}

TEST(Beyond, RightWhereItLearnedAndWrongBeyond) {
  const Matrix errors = table_of(explain(asking("beyond")), "errors");
  EXPECT_LT(errors.at(0, 0), 0.02);
  EXPECT_GT(errors.at(0, 1), 10 * errors.at(0, 0));
}

TEST(Residual, GradientsByDepth) {
  const Matrix log10 = table_of(explain(asking("residual")), "depths");
  EXPECT_GT(log10.at(0, 0), -1);    // no residual, 6 layers
  EXPECT_LT(log10.at(0, 2), -10);   // no residual, 48 layers: vanished
  EXPECT_GT(log10.at(1, 2), 3);     // residual without norm grows
  for (const int64_t row : {2, 3})  // with norms it keeps its size
    for (int64_t j = 0; j < 3; ++j) EXPECT_LT(std::abs(log10.at(row, j)), 1.5);
}

TEST(Dropout, AfterTheSoftmaxInTrainingOnly) {
  const Lesson lesson = explain(asking("dropout"));
  const Matrix weights = table_of(lesson, "weights"), keep = table_of(lesson, "keep");
  const Matrix dropped = table_of(lesson, "dropped");
  size_t zeros = 0;
  for (size_t i = 0; i < keep.values.size(); ++i) {
    EXPECT_NEAR(dropped.values[i], weights.values[i] * keep.values[i] / 0.5, 1e-12);
    zeros += keep.values[i] == 0;
  }
  EXPECT_GT(zeros, 0u);
  EXPECT_LT(zeros, keep.values.size());
  expect_digits(table_of(lesson, "expected"), {{1, 1}}, 12);
  ExplainRequest other = asking("dropout");
  other.inputs["seed"] = {{2}};
  EXPECT_NE(table_of(explain(other), "keep"), keep);
}

TEST(Errata, EveryClaimHasItsNumber) {
  const Lesson lesson = explain(asking("errata"));
  EXPECT_EQ(lesson.steps.size(), 14u);
  EXPECT_EQ(table_of(lesson, "scores"), (Matrix{{1, 1, 2}, {1, 1, 0}, {2, 0, 1}}));
  expect_digits(table_of(lesson, "divided"), {{0.525447, 0.281252, 0.193301}}, 6);
  expect_digits(table_of(lesson, "undivided"), {{0.992976, 0.006691, 0.000333}}, 6);
  EXPECT_EQ(table_of(lesson, "layer"), Matrix(1, 6, 6));
  expect_digits(table_of(lesson, "waves"), {{6.2832, 60611.5}}, 1);
  expect_digits(table_of(lesson, "cosine"), {{0.99995}}, 7);
  expect_digits(table_of(lesson, "biased"), {{-1.224743, 0, 1.224743}}, 6);
  expect_digits(table_of(lesson, "slip"), {{-1, 0, 1}}, 4);
  EXPECT_EQ(table_of(lesson, "middle").at(0, 0), 5);
  EXPECT_EQ(table_of(lesson, "median").at(0, 0), 4);
  expect_digits(table_of(lesson, "gelu"), {{0.841345, 0.841345, 0.841345}}, 6);
  EXPECT_NEAR(table_of(lesson, "share").at(0, 1), 0.707, 5e-4);
  EXPECT_EQ(table_of(lesson, "still_twice"), table_of(lesson, "twice_still"));
  EXPECT_NE(table_of(lesson, "soft_twice"), table_of(lesson, "twice_soft"));
  for (const Step& step : lesson.steps) EXPECT_TRUE(step.text.starts_with("Claim:")) << step.name;
}

TEST(Backward, EveryGradientBesideItsFiniteDifference) {
  const Lesson lesson = explain(asking("backward"));
  for (const char* name : {"q", "k", "v"}) {
    const Matrix exact = table_of(lesson, std::string("d_") + name);
    const Matrix check = table_of(lesson, std::string("check_") + name);
    for (size_t i = 0; i < exact.values.size(); ++i) {
      EXPECT_NEAR(exact.values[i], check.values[i], 5e-7) << name;
      EXPECT_NE(exact.values[i], 0) << name;
    }
  }
}

}  // namespace
}  // namespace jogak
