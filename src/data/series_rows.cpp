#include "data/series_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "data/date_form.h"

namespace jogak {
namespace {

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

bool is_missing(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  constexpr std::string_view kWords[] = {"",    "NA",   "N/A",  "n/a",  "NaN", "nan",
                                         "NAN", "null", "NULL", "None", "?"};
  return std::find(std::begin(kWords), std::end(kWords), cell) != std::end(kWords);
}

float measured(const TableRow& row, size_t column, const std::string& file,
               const std::string& name) {
  const double value = cell_number(row, column, file, name);
  if (std::abs(value) > double{std::numeric_limits<float>::max()})
    fail<FormatError>(file, ": line ", row.line, " column ", shown_cell(name), ": found ", value,
                      ", wanted a number that 32 bits hold");
  return static_cast<float>(value);
}

}  // namespace

Missing missing_named(const std::string& name) {
  if (name == "refuse") return Missing::refuse;
  if (name == "ffill") return Missing::ffill;
  ensure<UsageError>(name == "linear", "data.missing is \"", name,
                     "\", wanted refuse, ffill or linear");
  return Missing::linear;
}

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

void PanelRows::add_row(const TableRow& row, size_t date) {
  add_date(panel_, row.cells[date], row.line, file_);
  lines_.push_back(row.line);
}

void PanelRows::add_value(const TableRow& row, size_t column, const std::string& name) {
  const bool lacks = missing_ != Missing::refuse && is_missing(row.cells[column]);
  if (lacks) lacking_.push_back(panel_.values.size());
  panel_.values.push_back(lacks ? 0 : measured(row, column, file_, name));
}

void PanelRows::fill() {
  const size_t C = panel_.names.size(), R = panel_.dates.size();
  std::vector<bool> lacks(panel_.values.size());
  for (const size_t place : lacking_) lacks[place] = true;
  for (size_t c = 0; c < C && !lacking_.empty(); ++c) {
    const auto value = [&](size_t row) -> float& { return panel_.values[row * C + c]; };
    for (size_t row = 0; row < R; ++row) {
      if (!lacks[row * C + c]) continue;
      size_t end = row;  // of the run that is missing
      while (end < R && lacks[end * C + c]) ++end;
      const bool left = row > 0, right = end < R;
      if (!left && !right)
        fail<FormatError>(file_, ": column ", shown_cell(panel_.names[c]),
                          ": found no value at all, wanted numbers");
      const double from = left ? value(row - 1) : value(end), to = right ? value(end) : from;
      const double rise = left && missing_ == Missing::linear
                              ? (to - from) / static_cast<double>(end - row + 1)
                              : 0;
      for (double steps = 1; row < end; ++row, ++steps)
        value(row) = static_cast<float>(from + rise * steps);
    }
  }
}

void PanelRows::check_dates() const {
  const size_t wrong = first_not_later(panel_.dates);
  if (wrong > 0 && !read_dates(panel_.dates))
    fail<FormatError>(file_, ": line ", lines_[wrong], ": found the date ",
                      shown_cell(panel_.dates[wrong]), " after ",
                      shown_cell(panel_.dates[wrong - 1]), ", wanted a later one");
}

// "s.csv: 3 missing values filled forward (data.missing = \"ffill\"), the first in line 5"
void tell_filled(const std::vector<PanelRows>& all, Missing missing, const std::string& file) {
  size_t count = 0;
  std::string first;
  for (const PanelRows& rows : all) {
    if (rows.lacking().empty()) continue;
    const size_t place = rows.lacking()[0], C = rows.panel().names.size();
    if (count == 0)
      first = text_of("line ", rows.line_of(place / C), " column ",
                      shown_cell(rows.panel().names[place % C]));
    count += rows.lacking().size();
  }
  if (count == 0) return;
  log_warning(file, ": ", count, count == 1 ? " missing value" : " missing values", " filled ",
              missing == Missing::ffill ? "forward (data.missing = \"ffill\")"
                                        : "by lines (data.missing = \"linear\")",
              ", the first in ", first);
}

// Rows are taken as they come; that time passes between them is told.
void tell_gaps(const std::vector<PanelRows>& all, const std::string& file) {
  constexpr double kRegular = 0.5;  // share of the neighbours that are one step apart
  size_t gaps = 0;
  std::string first;
  for (const PanelRows& rows : all) {
    const auto read = read_dates(rows.panel().dates);
    if (!read) continue;
    const UsualStep usual = usual_step(read->moments);
    if (usual.share < kRegular) continue;
    for (size_t i = 1; i < read->moments.size(); ++i) {
      if (seconds_of(read->moments[i]) <= seconds_of(usual.step.after(read->moments[i - 1])))
        continue;
      if (gaps++ == 0)
        first = text_of("line ", rows.line_of(i), ", ", shown_cell(rows.panel().dates[i]),
                        " after ", shown_cell(rows.panel().dates[i - 1]));
    }
  }
  if (gaps > 0)
    log_warning(file, ": ", gaps, gaps == 1 ? " gap" : " gaps",
                " in the dates, rows are taken as if there were none; the first before ", first);
}

}  // namespace jogak
