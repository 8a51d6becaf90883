// Every printed number against a second computation, written another way and in long double:
// softmax as 1 / sum of exp(x_j - x_i), variance from the moments, sums from the last term up.
#include <gtest/gtest.h>

#include <functional>

#include "base/random.h"
#include "tests/explain/lessons.h"
#include "tests/explain/printed.h"
#include "tests/explain/random_inputs.h"

namespace jogak {
namespace {

using test::asking;
using test::Printed;
using Long = long double;
using Tables = std::map<std::string, Printed>;
using Entry = std::function<Long(int64_t, int64_t)>;

void expect_printed(const Tables& tables, const std::string& name, const Entry& exact) {
  const auto found = tables.find(name);
  ASSERT_NE(found, tables.end()) << "not printed: " << name;
  const Matrix& m = found->second.values;
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.columns; ++j) {
      const Long wanted = exact(i, j);
      if (std::isinf(wanted)) {
        EXPECT_EQ(m.at(i, j), static_cast<double>(wanted)) << name;
        continue;
      }
      const double half = found->second.half_unit[static_cast<size_t>(i * m.columns + j)];
      EXPECT_LE(std::abs(m.at(i, j) - wanted), half + 1e-9L * std::max(1.0L, std::abs(wanted)))
          << name << " at " << i << ", " << j << ": wanted " << wanted;
    }
}

using Row = std::vector<Long>;

Row row_of(const Matrix& m, int64_t i) {
  const auto row = m.row(i);
  return {row.begin(), row.end()};
}

Long largest_visible(const Row& x, const Row& visible) {
  Long top = -INFINITY;
  for (size_t i = 0; i < x.size(); ++i)
    if (visible[i] != 0) top = std::max(top, x[i]);
  return top;
}

Long share(const Row& x, const Row& visible, size_t i) {  // entry i of the softmax
  if (visible[i] == 0) return 0;
  Long total = 0;
  for (size_t j = x.size(); j-- > 0;)
    if (visible[j] != 0) total += std::exp(x[j] - x[i]);
  return 1 / total;
}

Row ones(size_t n) { return Row(n, 1); }

Matrix typed(Rng& rng, int64_t rows, int64_t columns, double size) {
  Matrix out(rows, columns);
  for (double& x : out.values) x = std::round((rng.uniform() * 2 - 1) * size * 1000) / 1000;
  return out;
}

Tables printed(const ExplainRequest& request) {
  const Lesson lesson = explain(request);
  return test::read_printed(lesson, to_text(lesson, false, 400));
}

void check_softmax(Rng& rng) {
  ExplainRequest request = asking("softmax");
  const auto n = static_cast<int64_t>(1 + rng.below(9));
  const Matrix& m = request.inputs["x"] = typed(rng, 1, n, rng.below(4) ? 12 : 3000);
  const Tables tables = printed(request);
  const Row x = row_of(m, 0), all = ones(x.size());
  const Long top = largest_visible(x, all);
  const Entry p = [&](int64_t, int64_t j) { return share(x, all, static_cast<size_t>(j)); };
  expect_printed(tables, "x", [&](int64_t, int64_t j) { return x[static_cast<size_t>(j)]; });
  expect_printed(tables, "p_shifted", p);
  expect_printed(tables, "shifted",
                 [&](int64_t, int64_t j) { return x[static_cast<size_t>(j)] - top; });
  const Entry e = [&](int64_t, int64_t j) { return std::exp(x[static_cast<size_t>(j)] - top); };
  expect_printed(tables, "exp_shifted", e);
  Long total = 0;
  for (int64_t j = n; j-- > 0;) total += e(0, j);
  expect_printed(tables, "sum_shifted", [&](int64_t, int64_t) { return total; });
  if (top >= -20 && top <= 700) {
    expect_printed(tables, "p", p);
    expect_printed(tables, "exp",
                   [&](int64_t, int64_t j) { return std::exp(x[static_cast<size_t>(j)]); });
    expect_printed(tables, "sum", [&](int64_t, int64_t) { return total * std::exp(top); });
  }
  if (top > -290) expect_printed(tables, "large_p", p);
}

struct AttentionCase {
  Matrix q, k, v, mask;
  Long score(int64_t i, int64_t j) const {
    Long total = 0;
    for (int64_t c = q.columns; c-- > 0;) total += Long{q.at(i, c)} * k.at(j, c);
    return total;
  }
  Row scaled(int64_t i) const {
    Row out;
    for (int64_t j = 0; j < k.rows; ++j) out.push_back(score(i, j) / std::sqrt(Long(q.columns)));
    return out;
  }
  Long weight(int64_t i, int64_t j, bool masked) const {
    const Row visible = masked ? row_of(mask, i) : ones(static_cast<size_t>(k.rows));
    return share(scaled(i), visible, static_cast<size_t>(j));
  }
  Long output(int64_t i, int64_t c, bool masked) const {
    Long total = 0;
    for (int64_t j = k.rows; j-- > 0;) total += weight(i, j, masked) * v.at(j, c);
    return total;
  }
};

void check_attention(Rng& rng) {
  const auto side = [&] { return static_cast<int64_t>(1 + rng.below(6)); };
  ExplainRequest request = asking("attention");
  const int64_t n = side(), d = side(), e = side();
  request.causal = rng.below(3) == 0;
  const int64_t m = request.causal ? n : side();
  AttentionCase c{typed(rng, n, d, 3), typed(rng, m, d, 3), typed(rng, m, e, 10), Matrix(n, m, 1)};
  request.inputs = {{"q", c.q}, {"k", c.k}, {"v", c.v}};
  bool masked = request.causal;
  if (rng.below(2)) {
    masked = true;
    for (double& x : c.mask.values) x = rng.below(3) ? 1 : 0;
    request.inputs["mask"] = c.mask;
  }
  if (request.causal)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < m; ++j) c.mask.at(i, j) = 0;
  const Tables tables = printed(request);
  const auto scaled = [&](int64_t i, int64_t j) { return c.scaled(i)[static_cast<size_t>(j)]; };
  expect_printed(tables, "scores", [&](int64_t i, int64_t j) { return c.score(i, j); });
  expect_printed(tables, "scaled", scaled);
  expect_printed(tables, "weights", [&](int64_t i, int64_t j) { return c.weight(i, j, true); });
  expect_printed(tables, "output", [&](int64_t i, int64_t j) { return c.output(i, j, true); });
  expect_printed(tables, "empty_output", [](int64_t, int64_t) { return Long{0}; });
  if (!masked) return;
  expect_printed(tables, "masked", [&](int64_t i, int64_t j) {
    return c.mask.at(i, j) == 0 ? -INFINITY : scaled(i, j);
  });
  expect_printed(tables, "full_weights",
                 [&](int64_t i, int64_t j) { return c.weight(i, j, false); });
  expect_printed(tables, "full_output",
                 [&](int64_t i, int64_t j) { return c.output(i, j, false); });
}

void check_masks(Rng& rng) {
  ExplainRequest request = asking("masks");
  const auto n = static_cast<int64_t>(1 + rng.below(7));
  const Matrix scores = typed(rng, n, n, 8);
  Matrix real(1, n);
  for (double& x : real.values) x = rng.below(4) ? 1 : 0;
  request.inputs = {{"scores", scores}, {"padding", real}};
  const Tables tables = printed(request);
  const auto visible = [&](int64_t i, bool front) {
    Row out;
    for (int64_t j = 0; j < n; ++j)
      out.push_back(j <= i && (front ? j > 0 : real.at(0, j) == 1) ? 1 : 0);
    return out;
  };
  expect_printed(tables, "mask",
                 [&](int64_t i, int64_t j) { return visible(i, false)[static_cast<size_t>(j)]; });
  for (const bool front : {false, true})
    expect_printed(tables, front ? "front_weights" : "multiplied_weights",
                   [&](int64_t i, int64_t j) {
                     return share(row_of(scores, i), visible(i, front), static_cast<size_t>(j));
                   });
  expect_printed(tables, "filled_weights", [&](int64_t i, int64_t j) {
    const Row sees = visible(i, false);
    const bool none = *std::max_element(sees.begin(), sees.end()) == 0;
    return none ? 1 / Long(n) : share(row_of(scores, i), sees, static_cast<size_t>(j));
  });
}

void check_layernorm(Rng& rng) {
  ExplainRequest request = asking("layernorm");
  const auto n = static_cast<int64_t>(1 + rng.below(9));
  const Matrix x = typed(rng, 1, n, 20), gamma = typed(rng, 1, n, 2), beta = typed(rng, 1, n, 2);
  request.inputs = {{"x", x}, {"gamma", gamma}, {"beta", beta}};
  const Tables tables = printed(request);
  Long sum = 0, squares = 0;
  for (int64_t j = n; j-- > 0;) {
    sum += x.at(0, j);
    squares += Long{x.at(0, j)} * x.at(0, j);
  }
  const Long mean = sum / n, variance = squares / n - mean * mean;
  const Long deviation = std::sqrt(variance + 1e-5L);
  expect_printed(tables, "mean", [&](int64_t, int64_t) { return mean; });
  expect_printed(tables, "variance", [&](int64_t, int64_t) { return variance; });
  expect_printed(tables, "deviation", [&](int64_t, int64_t) { return deviation; });
  const Entry hat = [&](int64_t, int64_t j) { return (x.at(0, j) - mean) / deviation; };
  expect_printed(tables, "centred", [&](int64_t, int64_t j) { return x.at(0, j) - mean; });
  expect_printed(tables, "normalised", hat);
  expect_printed(tables, "y",
                 [&](int64_t, int64_t j) { return gamma.at(0, j) * hat(0, j) + beta.at(0, j); });
  if (n == 1) return;
  const Long sample = variance * n / (n - 1);
  expect_printed(tables, "sample_variance", [&](int64_t, int64_t) { return sample; });
  expect_printed(tables, "slip", [&](int64_t, int64_t j) {
    return (x.at(0, j) - mean) / std::sqrt(sample + 1e-5L);
  });
}

void check_positions(Rng& rng) {
  ExplainRequest request = asking("positions");
  const auto d = static_cast<int64_t>(2 * (1 + rng.below(20)));
  const auto length = static_cast<int64_t>(2 + rng.below(60));
  request.inputs = {{"d", Matrix::row_of({static_cast<double>(d)})},
                    {"length", Matrix::row_of({static_cast<double>(length)})}};
  const Tables tables = printed(request);
  const auto speed = [&](int64_t i) { return std::exp(-std::log(10000.0L) * 2 * i / d); };
  expect_printed(tables, "divisors", [&](int64_t, int64_t i) { return 1 / speed(i); });
  expect_printed(tables, "angles", [&](int64_t p, int64_t i) { return p * speed(i); });
  expect_printed(tables, "pe", [&](int64_t p, int64_t j) {
    const Long angle = p * speed(j / 2);
    return j % 2 ? std::sin(angle + std::acos(-1.0L) / 2) : std::sin(angle);
  });
  const Long distances[] = {0, 1, 2, 8, 64};
  expect_printed(tables, "dots", [&](int64_t, int64_t j) {
    Long total = 0;
    for (int64_t i = d / 2; i-- > 0;) total += std::cos(distances[j] * speed(i));
    return total;
  });
}

TEST(PrintedNumbers, AgreeForAThousandRandomInputs) {
  Rng rng(2017);
  for (int round = 0; round < (test::lessons_wanted() + 4) / 5; ++round)
    for (void (*check)(Rng&) :
         {check_softmax, check_attention, check_masks, check_layernorm, check_positions}) {
      check(rng);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
    }
}

// In the other languages and levels the same names carry the same printed numbers.
TEST(PrintedNumbers, DoNotDependOnLanguageOrLevel) {
  for (const std::string& topic : explain_topics()) {
    Tables first;
    for (const Level level : test::kLevels)
      for (const Lang lang : test::kLangs)
        for (const auto& [name, table] : printed(asking(topic, level, lang))) {
          const auto known = first.emplace(name, table);
          EXPECT_EQ(known.first->second.values, table.values) << topic << " " << name;
        }
    EXPECT_GT(first.size(), 3u) << topic;
  }
}

}  // namespace
}  // namespace jogak
