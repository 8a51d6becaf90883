// Generated series: measurements every hour that rise slowly and follow the day and the week, with
// noise. What can be known of the future is the pattern; what cannot is the noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/series.h"
#include "data/split.h"

namespace jogak {

struct SeriesOptions {
  int64_t series = 3;
  double noise = 0.2;  // deviation, beside a day's swing of about 1
};

// Row i of a series follows from (seed, split, series, i) alone: more rows begin with the same
// ones. Dates begin with 2020-01-01 00:00:00.
SeriesPanel make_series(int64_t rows, uint64_t seed, Split split,
                        const SeriesOptions& options = {});

std::vector<std::string> series_csv(const SeriesPanel& panel);  // the lines, header first

}  // namespace jogak
