// Short ways to ask for lessons and their numbers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "explain/explain.h"

namespace jogak::test {

inline ExplainRequest asking(const std::string& topic, Level level = Level::student,
                             Lang lang = Lang::en) {
  ExplainRequest request;
  request.topic = topic;
  request.level = level;
  request.lang = lang;
  return request;
}

inline const Table* find_table(const Lesson& lesson, const std::string& name) {
  for (const Step& step : lesson.steps)
    for (const Table& table : step.tables)
      if (table.name == name) return &table;
  return nullptr;
}

inline Matrix table_of(const Lesson& lesson, const std::string& name) {
  const Table* table = find_table(lesson, name);
  EXPECT_NE(table, nullptr) << lesson.topic << " has no table " << name;
  return table ? table->values : Matrix();
}

// Each entry as written: `digits` places after the point.
inline void expect_digits(const Matrix& found, const Matrix& wanted, int digits) {
  ASSERT_EQ(found.rows, wanted.rows);
  ASSERT_EQ(found.columns, wanted.columns);
  const double half = 0.5 * std::pow(10.0, -digits) + 1e-12;
  for (size_t i = 0; i < found.values.size(); ++i)
    EXPECT_NEAR(found.values[i], wanted.values[i], half) << "entry " << i;
}

inline constexpr Level kLevels[] = {Level::story, Level::student, Level::math};
inline constexpr Lang kLangs[] = {Lang::en, Lang::ko};

}  // namespace jogak::test
