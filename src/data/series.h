// Series of measurements: many values, one after the other in time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

struct SeriesColumns {
  std::string date = "date";
  std::vector<std::string> series = {};  // which columns; empty: all but the date
  std::string where_to_get = {};
};

// A .csv (or .tsv) with a header: a column of dates and any number of series, or the long layout
// unique_id, ds, y. Plain, .gz or .zst. Every cell of a series is a finite number; dates differ
// and, where they are numbers or begin with the year, rise. Errors name line and column.
SeriesFile read_series(const std::string& file, const SeriesColumns& columns = {});

// The same of the text of a CSV; `name` is what errors call it.
SeriesFile parse_series(std::string_view text, const std::string& name,
                        const SeriesColumns& columns = {});

// -1, 0, 1 as a date is before, the same or after another; 2 when they cannot be compared.
int compare_dates(const std::string& a, const std::string& b);

}  // namespace jogak
