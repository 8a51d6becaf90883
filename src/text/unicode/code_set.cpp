#include "text/unicode/code_set.h"

#include <algorithm>

namespace jogak::text {

void CodeSet::add(char32_t low, char32_t high) {
  // Ranges that end before low - 1 stay, then those that touch are swallowed.
  const auto first = std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& r) {
    return r.high < low && low - r.high > 1;
  });
  auto last = first;
  for (; last != ranges_.end() && (last->low <= high || last->low - high == 1); ++last) {
    low = std::min(low, last->low);
    high = std::max(high, last->high);
  }
  if (first == last) {
    ranges_.insert(first, {low, high});
  } else {
    *first = {low, high};
    ranges_.erase(first + 1, last);
  }
}

void CodeSet::add(const CodeSet& other) {
  if (other.ranges_.size() < 4) {
    for (const Range& range : other.ranges_) add(range.low, range.high);
    return;
  }
  std::vector<Range> both;
  both.reserve(ranges_.size() + other.ranges_.size());
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(),
             std::back_inserter(both),
             [](const Range& a, const Range& b) { return a.low < b.low; });
  ranges_.clear();
  for (const Range& range : both) {
    if (!ranges_.empty() && range.low <= ranges_.back().high + 1)
      ranges_.back().high = std::max(ranges_.back().high, range.high);
    else
      ranges_.push_back(range);
  }
}

CodeSet CodeSet::inverted() const {
  CodeSet out;
  char32_t next = 0;
  for (const Range& range : ranges_) {
    if (range.low > next) out.ranges_.push_back({next, range.low - 1});
    next = range.high + 1;
  }
  if (next <= kHighest) out.ranges_.push_back({next, kHighest});
  return out;
}

CodeSet CodeSet::common(const CodeSet& other) const {
  CodeSet out;
  for (auto a = ranges_.begin(), b = other.ranges_.begin();
       a != ranges_.end() && b != other.ranges_.end();) {
    const char32_t low = std::max(a->low, b->low), high = std::min(a->high, b->high);
    if (low <= high) out.ranges_.push_back({low, high});
    a->high < b->high ? ++a : ++b;
  }
  return out;
}

bool CodeSet::contains(char32_t code) const {
  const auto at = std::partition_point(ranges_.begin(), ranges_.end(),
                                       [&](const Range& r) { return r.high < code; });
  return at != ranges_.end() && at->low <= code;
}

}  // namespace jogak::text
