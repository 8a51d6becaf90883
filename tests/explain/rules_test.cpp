// Every table that has a rule, computed again: from the numbers as given, to the last printed
// digit, and from the printed numbers above it, within what their rounding allows.
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/explain/lessons.h"
#include "tests/explain/printed.h"
#include "tests/explain/random_inputs.h"
#include "tests/explain/rule_interval.h"

namespace jogak {
namespace {

using test::asking;
using test::bounds;
using test::Interval;
using test::Intervals;
using test::Printed;
using Long = long double;

Intervals exactly(const Matrix& m) {
  Intervals out{m.rows, m.columns, {}};
  for (const double x : m.values) out.values.push_back({x, x});
  return out;
}

Intervals as_printed(const Printed& printed, bool exact) {
  Intervals out = exactly(printed.values);
  for (size_t i = 0; i < out.values.size() && !exact; ++i) {
    Interval& one = out.values[i];
    const bool whole = std::isfinite(one.low) && one.low == std::floor(one.low);
    const Long half = std::isinf(one.low) || (whole && printed.half_unit[i] == 0.5)
                          ? 0
                          : Long(printed.half_unit[i]);
    one = {one.low - half, one.high + half};
  }
  return out;
}

size_t expect_rules_hold(const ExplainRequest& request) {
  const Lesson lesson = explain(request);
  const auto printed = test::read_printed(lesson, to_text(lesson, false, 400));
  std::map<std::string, Intervals> exact, seen;
  size_t rules = 0;
  for (const Step& step : lesson.steps)
    for (const Table& table : step.tables) {
      const Printed& shown = printed.at(table.name);
      if (table.rule.empty()) {
        exact[table.name] = exactly(table.values);
        seen[table.name] = as_printed(shown, table.digits == kAsGiven);
        continue;
      }
      ++rules;
      const Rule rule = parse_rule(table.rule);
      exact[table.name] = bounds(rule, exact);
      Intervals from_above;
      bool known = true;  // a divisor that was printed as 0 says nothing
      try {
        from_above = bounds(rule, seen);
      } catch (const std::runtime_error&) {
        known = false;
      }
      seen[table.name] = as_printed(shown, table.digits == kAsGiven);
      for (size_t i = 0; i < shown.values.values.size(); ++i) {
        const Long value = shown.values.values[i], half = shown.half_unit[i];
        const Long wanted = exact[table.name].values[i].low;
        const std::string place = text_of(lesson.topic, ", ", table.name, " = ", table.rule,
                                          ", entry ", i, ": printed ", value);
        if (std::isinf(wanted)) {
          EXPECT_EQ(value, wanted) << place;
          continue;
        }
        const Long slack = 1e-9L * std::max(1.0L, std::abs(wanted));
        EXPECT_LE(std::abs(value - wanted), half + slack) << place << ", wanted " << wanted;
        if (!known) continue;
        EXPECT_GE(value, from_above.values[i].low - half - slack) << place;
        EXPECT_LE(value, from_above.values[i].high + half + slack) << place;
      }
    }
  return rules;
}

TEST(Rules, HoldInEveryLesson) {
  size_t rules = 0;
  for (const std::string& topic : explain_topics())
    for (const Level level : test::kLevels) rules += expect_rules_hold(asking(topic, level));
  EXPECT_GE(rules, 5u);
}

TEST(Rules, HoldForAThousandRandomInputs) {
  Rng rng(2017);
  int lessons = 0;
  for (const int wanted = test::lessons_wanted(); lessons < wanted;) {
    size_t topics = 0;
    for (const std::string& topic : explain_topics()) {
      if (!test::can_randomise(topic)) continue;
      ++topics;
      expect_rules_hold(test::random_request(topic, rng));
      ++lessons;
      ASSERT_FALSE(::testing::Test::HasFailure()) << topic << ", lesson " << lessons;
    }
    ASSERT_GT(topics, 0u);
  }
}

}  // namespace
}  // namespace jogak
