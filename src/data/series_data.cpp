#include "data/series_data.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/log.h"

namespace jogak {
namespace {

constexpr const char* kParts[] = {"training", "validation", "test"};

SeriesBorders borders_of(const SeriesPanel& panel, const SeriesBorders& wanted) {
  if (!wanted.by_share()) return wanted;
  const auto rows = static_cast<double>(panel.rows());
  SeriesBorders out;
  out.train = static_cast<int64_t>(rows * 0.7);
  out.test = static_cast<int64_t>(rows * 0.2);
  out.valid = panel.rows() - out.train - out.test;
  return out;
}

}  // namespace

SeriesData::SeriesData(SeriesFile file, const Options& options, const SeriesScaler* scaler)
    : name_(file.name), options_(options), panels_(std::move(file.panels)) {
  ensure<Error>(options.context >= 1 && options.horizon >= 1, "windows of ", options.context,
                " rows and a forecast of ", options.horizon, ", wanted at least one of both");
  for (const SeriesPanel& panel : panels_) {
    const SeriesBorders b = borders_of(panel, options.borders);
    const int64_t wanted = b.train + b.valid + b.test;
    ensure<FormatError>(wanted <= panel.rows(), name_, ": found ", panel.rows(), " rows",
                        panels_.size() > 1 ? " of \"" + panel.names[0] + "\"" : "", ", wanted ",
                        wanted, " for ", b.train, " to train on, ", b.valid,
                        " to validate with and ", b.test, " to test");
    ensure<FormatError>(b.train >= 1, name_, ": found no row to train on");
  }
  if (panels_.size() == 1) options_.borders = borders_of(panels_[0], options.borders);
  if (scaler) {
    std::vector<std::string> names;
    for (const SeriesPanel& panel : panels_)
      names.insert(names.end(), panel.names.begin(), panel.names.end());
    for (size_t i = 0; i < std::max(names.size(), scaler->names.size()); ++i) {
      const std::string found = i < names.size() ? names[i] : "nothing more";
      const std::string wanted = i < scaler->names.size() ? scaler->names[i] : "nothing more";
      ensure<FormatError>(found == wanted, name_, ": series ", i + 1, ": found ", found,
                          ", wanted ", wanted, " as the model was trained on");
    }
    scaler_ = *scaler;
  } else {
    fit();
  }
  apply();
}

void SeriesData::fit() {
  for (const SeriesPanel& panel : panels_) {
    const int64_t rows = borders_of(panel, options_.borders).train;
    for (int64_t c = 0; c < panel.columns(); ++c) {
      const auto at = [&](int64_t row) {
        return double{panel.values[static_cast<size_t>(row * panel.columns() + c)]};
      };
      double mean = 0, squares = 0;
      for (int64_t row = 0; row < rows; ++row) mean += at(row);
      mean /= static_cast<double>(rows);
      for (int64_t row = 0; row < rows; ++row) squares += (at(row) - mean) * (at(row) - mean);
      double deviation = std::sqrt(squares / static_cast<double>(rows));
      const std::string& name = panel.names[static_cast<size_t>(c)];
      if (!(deviation > 0)) {
        log_first_warning("a series is constant in its training rows", name_, ": series \"", name,
                          "\" is constant in its training rows; its size is kept");
        deviation = 1;
      }
      scaler_.names.push_back(name);
      scaler_.mean.push_back(mean);
      scaler_.deviation.push_back(deviation);
    }
  }
}

void SeriesData::apply() {
  size_t first = 0;
  for (SeriesPanel& panel : panels_) {
    const auto columns = static_cast<size_t>(panel.columns());
    for (size_t i = 0; i < panel.values.size(); ++i) {
      const size_t c = first + i % columns;
      panel.values[i] =
          static_cast<float>((panel.values[i] - scaler_.mean[c]) / scaler_.deviation[c]);
    }
    first += columns;
  }
}

SeriesData::Range SeriesData::range(const SeriesPanel& panel, SeriesPart part) const {
  const SeriesBorders b = borders_of(panel, options_.borders);
  const auto [context, horizon] = std::pair(options_.context, options_.horizon);
  int64_t first = 0, last = b.train;  // rows that may be forecast
  if (part == SeriesPart::valid) first = b.train, last = b.train + b.valid;
  if (part == SeriesPart::test) first = b.train + b.valid, last = first + b.test;
  const int64_t begin = std::max<int64_t>(first - context, 0);
  return {begin, std::max<int64_t>(last - horizon - context - begin + 1, 0)};
}

int64_t SeriesData::windows(SeriesPart part) const {
  int64_t count = 0, longest = 0;
  for (const SeriesPanel& panel : panels_) {
    count += range(panel, part).count;
    longest = std::max(longest, panel.rows());
  }
  ensure<FormatError>(count > 0, name_, ": found ", longest, " rows, too few for one window of ",
                      options_.context, " rows and ", options_.horizon, " more in the ",
                      kParts[static_cast<size_t>(part)], " part");
  return count;
}

SeriesBatch SeriesData::batch(SeriesPart part, std::span<const int64_t> chosen) const {
  ensure<Error>(!chosen.empty(), "a batch of no windows asked for");
  const int64_t width = series();
  std::vector<float> past, future;
  for (int64_t index : chosen) {
    const int64_t asked = index;
    const SeriesPanel* from = nullptr;
    for (const SeriesPanel& panel : panels_) {
      const Range r = range(panel, part);
      if (index < r.count) {
        from = &panel;
        index += r.begin;
        break;
      }
      index -= r.count;
    }
    ensure<Error>(asked >= 0 && from, name_, ": window ", asked, " asked for, there are ",
                  windows(part));
    const auto at = from->values.begin() + index * width;
    past.insert(past.end(), at, at + options_.context * width);
    future.insert(future.end(), at + options_.context * width,
                  at + (options_.context + options_.horizon) * width);
  }
  const auto rows = static_cast<int64_t>(chosen.size());
  return {from_values(past, {rows, options_.context, width}),
          from_values(future, {rows, options_.horizon, width}), rows * options_.horizon * width};
}

SeriesBatch SeriesData::eval_batch(SeriesPart part, int64_t first, int64_t count) const {
  std::vector<int64_t> chosen;
  for (int64_t i = first; i < std::min(first + count, windows(part)); ++i) chosen.push_back(i);
  return batch(part, chosen);
}

std::string SeriesData::describe() const {
  return text_of(name_, ": ", format_count(static_cast<int64_t>(scaler_.names.size())),
                 " series, windows of ", options_.context, " and ", options_.horizon, ": ",
                 format_count(windows(SeriesPart::train)), " to train on, ",
                 format_count(windows(SeriesPart::valid)), " to validate with");
}

Json to_json(const SeriesScaler& scaler, const SeriesBorders& borders) {
  Json out = Json::object();
  out.set("schema", 1).set("series", Json::list(scaler.names));
  out.set("mean", Json::list(scaler.mean)).set("std", Json::list(scaler.deviation));
  out.set("train_rows", borders.train).set("valid_rows", borders.valid);
  return std::move(out.set("test_rows", borders.test));
}

SeriesScaler read_scaler(const Json& json, const std::string& file) {
  const Fields f(json, file);
  SeriesScaler out;
  for (const Json& name : f.list("series")) {
    if (!name.is_string()) f.wrong(name, "series", "names");
    out.names.push_back(name.text());
  }
  const auto numbers = [&](const char* key, std::vector<double>& to, bool positive) {
    for (const Json& value : f.list(key)) {
      if (!value.is_number() || !std::isfinite(value.number()) || (positive && value.number() <= 0))
        f.wrong(value, key, positive ? "a number above 0" : "a number");
      to.push_back(value.number());
    }
    if (to.size() != out.names.size())
      f.wrong(f.at(key), key, text_of(out.names.size(), " numbers, one for each series"));
  };
  numbers("mean", out.mean, false);
  numbers("std", out.deviation, true);
  return out;
}

SeriesBorders read_borders(const Json& json, const std::string& file) {
  const Fields f(json, file);
  constexpr Fields::Range kRows{0, int64_t{1} << 40};
  return {f.integer_or("train_rows", 0, kRows), f.integer_or("valid_rows", 0, kRows),
          f.integer_or("test_rows", 0, kRows)};
}

}  // namespace jogak
