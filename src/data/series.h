// Series of measurements: many values, one after the other in time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/series_panel.h"

namespace jogak {

struct SeriesColumns {
  std::string date = "date";
  std::vector<std::string> series = {};  // which columns; empty: all but the date
  Missing missing = Missing::ffill;
  std::string where_to_get = {};
};

// A .csv (or .tsv) with a header: a column of dates and any number of series, or the long layout
// unique_id, ds, y. Plain, .gz or .zst. Cells are finite numbers or missing; dates differ and,
// where they are numbers or of a form that can be read (data/date_form.h), rise. Errors name line
// and column; what was filled, and gaps in the dates, are told in one warning each.
SeriesFile read_series(const std::string& file, const SeriesColumns& columns = {});

// The same of the text of a CSV; `name` is what errors call it.
SeriesFile parse_series(std::string_view text, const std::string& name,
                        const SeriesColumns& columns = {});

}  // namespace jogak
