#include "explain/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.h"
#include "tests/explain/lessons.h"

namespace jogak {
namespace {

Matrix random(Rng& rng, int64_t rows, int64_t columns) {
  Matrix out(rows, columns);
  for (double& x : out.values) x = rng.normal();
  return out;
}

// Central differences of `loss` by every entry of `at`.
Matrix slope(Matrix at, const std::function<double(const Matrix&)>& loss) {
  constexpr double kStep = 1e-5;
  Matrix out(at.rows, at.columns);
  for (size_t i = 0; i < at.values.size(); ++i) {
    const double x = at.values[i];
    at.values[i] = x + kStep;
    const double up = loss(at);
    at.values[i] = x - kStep;
    out.values[i] = (up - loss(at)) / (2 * kStep);
    at.values[i] = x;
  }
  return out;
}

void expect_near(const Matrix& found, const Matrix& wanted, const char* what) {
  ASSERT_EQ(found.values.size(), wanted.values.size()) << what;
  for (size_t i = 0; i < found.values.size(); ++i)
    EXPECT_NEAR(found.values[i], wanted.values[i], 1e-7) << what << " entry " << i;
}

double half_square(const Matrix& m) { return plain::sum(plain::times(m, m)) / 2; }

TEST(Arithmetic, TheAttentionLessonsGradientsAreSlopes) {
  Rng rng(5);
  const Matrix q = random(rng, 3, 4), k = random(rng, 5, 4), v = random(rng, 5, 2);
  Matrix mask(3, 5, 1);
  for (const int64_t hidden : {1, 3, 5, 6, 7, 8, 9}) mask.values[size_t(hidden)] = 0;  // row 2: all
  ExplainRequest request = test::asking("attention", Level::math);
  request.inputs = {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}};
  const Lesson lesson = explain(request);
  const auto loss = [&](const Matrix& a, const Matrix& b, const Matrix& c) {
    return half_square(plain::attention(a, b, c, mask).output);
  };
  const auto d = [&](const char* name) { return test::table_of(lesson, name); };
  expect_near(d("d_q"), slope(q, [&](const Matrix& m) { return loss(m, k, v); }), "q");
  expect_near(d("d_k"), slope(k, [&](const Matrix& m) { return loss(q, m, v); }), "k");
  expect_near(d("d_v"), slope(v, [&](const Matrix& m) { return loss(q, k, m); }), "v");
  const auto forward = plain::attention(q, k, v, mask);
  expect_near(d("output"), forward.output, "output");
  expect_near(
      d("d_weights"),
      slope(forward.weights, [&](const Matrix& a) { return half_square(plain::product(a, v)); }),
      "weights");
  expect_near(
      d("d_scores"),
      slope(forward.scaled,
            [&](const Matrix& s) {
              const double hide = -std::numeric_limits<double>::infinity();
              return half_square(plain::product(plain::softmax(plain::hidden(s, mask, hide)), v));
            }),
      "scores");
}

TEST(Arithmetic, LessonsDerivativesAreSlopes) {
  const auto math = [](const char* topic, std::map<std::string, Matrix> inputs) {
    ExplainRequest request = test::asking(topic, Level::math);
    request.inputs = std::move(inputs);
    return explain(request);
  };
  const Matrix x = {{0.5, -1, 2, 0.25}}, gamma = {{2, 1, -1, 0.5}}, beta = {{1, 0, 2, 1}};
  const Lesson softmax = math("softmax", {{"x", x}});
  const Lesson norm = math("layernorm", {{"x", x}, {"gamma", gamma}, {"beta", beta}});
  const Matrix by_softmax = test::table_of(softmax, "jacobian");
  const Matrix by_norm = test::table_of(norm, "jacobian");
  for (int64_t i = 0; i < 4; ++i) {
    const Matrix s = slope(x, [&](const Matrix& m) { return plain::softmax(m).at(0, i); });
    const Matrix n =
        slope(x, [&](const Matrix& m) { return plain::layer_norm(m, 1e-5).normalised.at(0, i); });
    for (int64_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(by_softmax.at(i, j), s.at(0, j), 1e-8);
      EXPECT_NEAR(by_norm.at(i, j), n.at(0, j), 1e-8);
    }
  }
  const auto norm_loss = [&](const Matrix& a, const Matrix& g) {
    const Matrix h = plain::layer_norm(a, 1e-5).normalised;
    double total = 0;
    for (int64_t i = 0; i < 4; ++i)
      total += static_cast<double>(i + 1) * (g.at(0, i) * h.at(0, i) + beta.at(0, i));
    return total;
  };
  expect_near(test::table_of(norm, "d_x"),
              slope(x, [&](const Matrix& m) { return norm_loss(m, gamma); }), "d_x");
  expect_near(test::table_of(norm, "d_gamma"),
              slope(gamma, [&](const Matrix& m) { return norm_loss(x, m); }), "d_gamma");
  expect_near(test::table_of(softmax, "loss_gradient"),
              slope(x,
                    [](const Matrix& m) {
                      return -std::log(plain::softmax(m).at(0, 2));  // entry 3 is the largest
                    }),
              "loss_gradient");
}

TEST(Arithmetic, PositionDerivativeAndRotation) {
  ExplainRequest request = test::asking("positions", Level::math);
  request.inputs = {{"d", {{6}}}};
  const Lesson lesson = explain(request);
  const Matrix derivative = test::table_of(lesson, "derivative");
  const Matrix up = plain::position_encoding({1 + 1e-5}, 6),
               down = plain::position_encoding({1 - 1e-5}, 6);
  const Matrix next = plain::position_encoding({2}, 6);
  const Matrix rotated = test::table_of(lesson, "rotated");
  for (int64_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(derivative.at(0, j), (up.at(0, j) - down.at(0, j)) / 2e-5, 1e-9);
    EXPECT_NEAR(rotated.at(0, j), next.at(0, j), 1e-12);
  }
}

TEST(Arithmetic, MasksNeverMakeNaN) {
  const double hide = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(plain::softmax(Matrix(2, 3, hide)), Matrix(2, 3));
  // A hidden score larger than all visible ones must not push them to zero.
  const Matrix p = plain::softmax(plain::hidden({{1e6, 0, 0}}, {{0, 1, 1}}, hide));
  EXPECT_EQ(p, (Matrix{{0, 0.5, 0.5}}));
}

TEST(Arithmetic, MedianOfEvenAndOdd) {
  EXPECT_EQ(plain::median({{9, 2, 4}}), 4);
  EXPECT_EQ(plain::median({{9, 2, 4, 5}}), 4.5);
}

}  // namespace
}  // namespace jogak
