#include "data/series.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"
#include "data/table.h"

namespace jogak {
namespace {

constexpr int64_t kMostValues = int64_t{1} << 31;
constexpr char kId[] = "unique_id", kDate[] = "ds", kValue[] = "y";

// The runs of digits of a date, in order: 2016-07-01 00:15 is {2016, 7, 1, 0, 15}.
std::vector<int64_t> numbers_of(const std::string& date) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < date.size();) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(date.data() + i, date.data() + date.size(), value);
    const bool digit = date[i] >= '0' && date[i] <= '9';
    if (!digit || error != std::errc()) {
      ++i;
      continue;
    }
    out.push_back(value);
    i = static_cast<size_t>(end - date.data());
  }
  return out;
}

bool begins_with_year(const std::string& date, const std::vector<int64_t>& numbers) {
  return numbers.size() >= 2 && date.size() > 4 && date[4] != '.' && date[0] >= '0' &&
         date[0] <= '9' && numbers[0] >= 1000 && numbers[0] <= 9999;
}

std::optional<double> plain_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void add_date(SeriesPanel& panel, const std::string& date, int64_t line, const std::string& file) {
  ensure<FormatError>(!date.empty(), file, ": line ", line, ": found no date, wanted one");
  if (!panel.dates.empty()) {
    const int order = compare_dates(date, panel.dates.back());
    if (order <= 0)
      fail<FormatError>(file, ": line ", line, ": found the date ", shown_cell(date), " after ",
                        shown_cell(panel.dates.back()), ", wanted a later one");
  }
  panel.dates.push_back(date);
}

float measured(const TableRow& row, size_t column, const std::string& file,
               const std::string& name) {
  const double value = cell_number(row, column, file, name);
  if (std::abs(value) > double{std::numeric_limits<float>::max()})
    fail<FormatError>(file, ": line ", row.line, " column ", shown_cell(name), ": found ", value,
                      ", wanted a number that 32 bits hold");
  return static_cast<float>(value);
}

class WideReader {
 public:
  WideReader(const TableRow& header, const SeriesColumns& wanted, const std::string& file)
      : file_(file) {
    const Columns columns(header.cells, file);
    date_ = columns.at(wanted.date);
    if (!wanted.series.empty()) {
      for (const std::string& name : wanted.series) places_.push_back(columns.at(name));
    } else {
      for (size_t i = 0; i < header.cells.size(); ++i)
        if (i != date_) places_.push_back(i);
    }
    ensure<FormatError>(!places_.empty(), file,
                        ": line 1: found a column of dates alone, wanted "
                        "series beside it");
    for (const size_t place : places_) panel_.names.push_back(header.cells[place]);
  }
  void take(const TableRow& row) {
    add_date(panel_, row.cells[date_], row.line, file_);
    for (size_t i = 0; i < places_.size(); ++i)
      panel_.values.push_back(measured(row, places_[i], file_, panel_.names[i]));
    ensure<FormatError>(static_cast<int64_t>(panel_.values.size()) <= kMostValues, file_, ": line ",
                        row.line, ": found more than ", kMostValues, " values, wanted fewer");
  }
  SeriesPanel take_panel() { return std::move(panel_); }

 private:
  std::string file_;
  size_t date_ = 0;
  std::vector<size_t> places_;
  SeriesPanel panel_;
};

class LongReader {
 public:
  LongReader(const TableRow& header, const std::string& file) : file_(file) {
    const Columns columns(header.cells, file);
    id_ = columns.at(kId), date_ = columns.at(kDate), value_ = columns.at(kValue);
  }
  void take(const TableRow& row) {
    const std::string& id = row.cells[id_];
    ensure<FormatError>(!id.empty(), file_, ": line ", row.line, ": found no ", kId,
                        ", wanted one");
    const auto [at, added] = places_.emplace(id, panels_.size());
    if (added) panels_.push_back({{id}, {}, {}});
    SeriesPanel& panel = panels_[at->second];
    add_date(panel, row.cells[date_], row.line, file_);
    panel.values.push_back(measured(row, value_, file_, kValue));
  }
  std::vector<SeriesPanel> take_panels() { return std::move(panels_); }

 private:
  std::string file_;
  size_t id_ = 0, date_ = 0, value_ = 0;
  std::map<std::string, size_t> places_;
  std::vector<SeriesPanel> panels_;
};

}  // namespace

int compare_dates(const std::string& a, const std::string& b) {
  if (a == b) return 0;
  const auto by = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  const auto na = plain_number(a), nb = plain_number(b);
  if (na && nb) return by(*na, *nb);
  const std::vector<int64_t> da = numbers_of(a), db = numbers_of(b);
  if (begins_with_year(a, da) && begins_with_year(b, db)) {
    const int order = by(da, db);
    return order == 0 ? 2 : order;  // "1:00 am" and "1:00 pm": only their letters differ
  }
  return 2;
}

static SeriesFile series_from(
    const std::string& file, const SeriesColumns& wanted,
    const std::function<void(const std::function<void(const TableRow&)>&)>& rows) {
  SeriesFile out{file, {}, false};
  std::optional<WideReader> wide;
  std::optional<LongReader> tall;
  rows([&](const TableRow& row) {
    if (wide) return wide->take(row);
    if (tall) return tall->take(row);
    const Columns columns(row.cells, file);
    if (columns.has(kId) && columns.has(kDate) && columns.has(kValue))
      tall.emplace(row, file);
    else
      wide.emplace(row, wanted, file);
  });
  ensure<FormatError>(wide || tall, file, ": found nothing, wanted a header and rows");
  if (wide) out.panels.push_back(wide->take_panel());
  if (tall) out.panels = tall->take_panels();
  out.long_layout = tall.has_value();
  ensure<FormatError>(!out.panels.empty() && out.panels[0].rows() > 0, file,
                      ": found a header and no rows, wanted measurements");
  return out;
}

SeriesFile read_series(const std::string& file, const SeriesColumns& wanted) {
  TableOptions options = table_options_for(file);
  options.where_to_get = wanted.where_to_get;
  return series_from(file, wanted, [&](const auto& take) { read_table(file, options, take); });
}

SeriesFile parse_series(std::string_view text, const std::string& name,
                        const SeriesColumns& wanted) {
  return series_from(name, wanted, [&](const auto& take) { parse_table(text, name, {}, take); });
}

}  // namespace jogak
