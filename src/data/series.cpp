#include "data/series.h"

#include <functional>
#include <map>
#include <optional>

#include "base/error.h"
#include "data/series_rows.h"

namespace jogak {
namespace {

constexpr int64_t kMostValues = int64_t{1} << 31;
constexpr char kId[] = "unique_id", kDate[] = "ds", kValue[] = "y";

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
    std::vector<std::string> names;
    for (const size_t place : places_) names.push_back(header.cells[place]);
    rows_.emplace(std::move(names), wanted.missing, file);
  }
  void take(const TableRow& row) {
    rows_->add_row(row, date_);
    for (size_t i = 0; i < places_.size(); ++i)
      rows_->add_value(row, places_[i], rows_->panel().names[i]);
    ensure<FormatError>(static_cast<int64_t>(rows_->panel().values.size()) <= kMostValues, file_,
                        ": line ", row.line, ": found more than ", kMostValues,
                        " values, wanted fewer");
  }
  std::vector<PanelRows> take_rows() { return {std::move(*rows_)}; }

 private:
  std::string file_;
  size_t date_ = 0;
  std::vector<size_t> places_;
  std::optional<PanelRows> rows_;
};

class LongReader {
 public:
  LongReader(const TableRow& header, Missing missing, const std::string& file)
      : file_(file), missing_(missing) {
    const Columns columns(header.cells, file);
    id_ = columns.at(kId), date_ = columns.at(kDate), value_ = columns.at(kValue);
  }
  void take(const TableRow& row) {
    const std::string& id = row.cells[id_];
    ensure<FormatError>(!id.empty(), file_, ": line ", row.line, ": found no ", kId,
                        ", wanted one");
    const auto [at, added] = places_.emplace(id, panels_.size());
    if (added) panels_.emplace_back(std::vector<std::string>{id}, missing_, file_);
    panels_[at->second].add_row(row, date_);
    panels_[at->second].add_value(row, value_, kValue);
  }
  std::vector<PanelRows> take_rows() { return std::move(panels_); }

 private:
  std::string file_;
  Missing missing_;
  size_t id_ = 0, date_ = 0, value_ = 0;
  std::map<std::string, size_t> places_;
  std::vector<PanelRows> panels_;
};

}  // namespace

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
      tall.emplace(row, wanted.missing, file);
    else
      wide.emplace(row, wanted, file);
  });
  ensure<FormatError>(wide || tall, file, ": found nothing, wanted a header and rows");
  std::vector<PanelRows> panels = wide ? wide->take_rows() : tall->take_rows();
  out.long_layout = tall.has_value();
  ensure<FormatError>(!panels.empty() && panels[0].panel().rows() > 0, file,
                      ": found a header and no rows, wanted measurements");
  for (PanelRows& one : panels) {
    one.check_dates();
    one.fill();
  }
  tell_filled(panels, wanted.missing, file);
  tell_gaps(panels, file);
  for (PanelRows& one : panels) out.panels.push_back(one.take());
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
