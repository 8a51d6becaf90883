// The rows of a file of series as they are read: their lines, and the values they lack.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/series_panel.h"
#include "data/table.h"

namespace jogak {

class PanelRows {
 public:
  PanelRows(std::vector<std::string> names, Missing missing, std::string file)
      : panel_{std::move(names), {}, {}}, missing_(missing), file_(std::move(file)) {}

  void add_row(const TableRow& row, size_t date);
  void add_value(const TableRow& row, size_t column, const std::string& name);
  const SeriesPanel& panel() const { return panel_; }
  const std::vector<size_t>& lacking() const { return lacking_; }
  int64_t line_of(size_t row) const { return lines_[row]; }

  void fill();               // what is missing; FormatError for a series without a value
  void check_dates() const;  // FormatError where one is not later than the one before
  SeriesPanel take() { return std::move(panel_); }

 private:
  SeriesPanel panel_;
  Missing missing_;
  std::string file_;
  std::vector<int64_t> lines_;
  std::vector<size_t> lacking_;  // places of values
};

// -1, 0, 1 as a date is before, the same or after another; 2 when they cannot be compared.
int compare_dates(const std::string& a, const std::string& b);

// One warning each: what was filled, and where dates are further apart than they usually are.
void tell_filled(const std::vector<PanelRows>& panels, Missing missing, const std::string& file);
void tell_gaps(const std::vector<PanelRows>& panels, const std::string& file);

}  // namespace jogak
