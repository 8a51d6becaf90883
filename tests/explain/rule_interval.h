// Rules computed a second time, by intervals: what a printed number may be when it follows from
// the printed numbers before it, each of which was rounded.
#pragma once

#include <map>
#include <vector>

#include "explain/rule.h"
#include "tests/explain/evaluate.h"

namespace jogak::test {

struct Intervals {
  int64_t rows = 0, columns = 0;
  std::vector<Interval> values;

  Interval& at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
  const Interval& at(int64_t i, int64_t j) const {
    return values[static_cast<size_t>(i * columns + j)];
  }
  const Interval& spread(int64_t i, int64_t j) const {
    return at(rows == 1 ? 0 : i, columns == 1 ? 0 : j);
  }
};

Intervals bounds(const Rule& rule, const std::map<std::string, Intervals>& values);

}  // namespace jogak::test
