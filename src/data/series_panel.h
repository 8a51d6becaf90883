// What a file of series holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

// Series that share their dates.
struct SeriesPanel {
  std::vector<std::string> names;
  std::vector<float> values;  // [rows, names], row by row
  std::vector<std::string> dates;
  int64_t rows() const { return static_cast<int64_t>(dates.size()); }
  int64_t columns() const { return static_cast<int64_t>(names.size()); }
};

struct SeriesFile {
  std::string name;                 // what errors call it
  std::vector<SeriesPanel> panels;  // one; of the long layout one for every unique_id
  bool long_layout = false;
};

// What becomes of cells without a value: empty, NA, N/A, NaN, null, None or ?.
enum class Missing {
  refuse,
  ffill,  // the value before it; at the beginning, the first there is
  linear  // on the line between its neighbours; at the ends, the nearest
};
Missing missing_named(const std::string& name);  // UsageError: wanted refuse, ffill or linear

}  // namespace jogak
