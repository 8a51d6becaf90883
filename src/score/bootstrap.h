// How sure a score is: the score of many corpora drawn from the lines of the one there is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace jogak {

struct Bootstrap {
  int64_t resamples = 0;  // 0: no interval; 1000 is usual
  uint64_t seed = 12345;
};

struct Interval {
  double mean = 0, half_width = 0;  // 95 % of the drawn scores lie within 2 * half_width
};

// `score` is told which lines make up a resample (as many as there are lines, with repeats) and
// gives one number; it is called from several threads. The result depends on the seed alone.
using ResampleScore = std::function<double(std::span<const int64_t> lines)>;
Interval bootstrap_interval(int64_t lines, const Bootstrap& options, const ResampleScore& score);

Interval interval_of(std::vector<double> scores);

std::string bootstrap_signature(const Bootstrap& options);  // "|bs:1000|seed:12345", or nothing

}  // namespace jogak
