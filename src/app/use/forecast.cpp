#include "app/use/forecast.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/use/text_encoder.h"
#include "autograd/autograd.h"
#include "base/file.h"
#include "base/shortest.h"
#include "data/dates_ahead.h"
#include "data/series_data.h"

namespace jogak {
namespace {

constexpr int64_t kMostWindows = 256, kFewestWindows = 20, kMostSteps = 1'000'000;

std::optional<SeriesScaler> scaler_of(const std::string& directory) {
  const std::string file = join_path(directory, "series.json");
  if (!file_exists(file)) return std::nullopt;
  return read_scaler(read_json_file(file), file);
}

class Forecaster {
 public:
  explicit Forecaster(const std::string& directory)
      : model_(open_model(directory, {.use = WeightUse::as_stored})),
        scaler_(scaler_of(directory)) {
    ensure<FormatError>(model_.encodes() && model_.encoder.task == EncoderTask::forecast, directory,
                        ": a ", model_.model_type, " model, wanted one that forecasts, such as ",
                        "patchtst; ", command_for(model_), " runs this one");
  }

  int64_t context() const { return model_.encoder.context; }
  int64_t steps() const { return model_.encoder.horizon; }

  // A model of one series runs on each column by itself, another on all of a panel.
  void check(const SeriesPanel& panel, const std::string& file) const {
    const int64_t wanted = model_.encoder.channels;
    ensure<FormatError>(wanted == 1 || panel.columns() == wanted, file, ": has ", panel.columns(),
                        " series, the model was made for ", wanted);
    ensure<FormatError>(panel.rows() >= context(), file, ": has ", panel.rows(),
                        " rows, the model reads ", context(), " to forecast the next");
  }

  // [rows, columns] of a panel up to `end` -> [horizon, columns]
  std::vector<double> operator()(const SeriesPanel& panel, int64_t end, int64_t horizon) const {
    const int64_t C = panel.columns();
    std::vector<float> seen(panel.values.begin() + (end - context()) * C,
                            panel.values.begin() + end * C);
    for (size_t i = 0; i < seen.size(); ++i) seen[i] = scaled(panel, i, seen[i]);
    std::vector<double> out;
    while (static_cast<int64_t>(out.size()) < horizon * C) {
      const std::vector<float> ahead = pass(seen, C);  // [steps, C]
      for (size_t i = 0; i < ahead.size() && static_cast<int64_t>(out.size()) < horizon * C; ++i)
        out.push_back(unscaled(panel, i, ahead[i]));
      seen.insert(seen.end(), ahead.begin(), ahead.end());
      seen.erase(seen.begin(), seen.begin() + static_cast<ptrdiff_t>(ahead.size()));
    }
    return out;
  }

 private:
  // One window [context, C] -> [steps, C].
  std::vector<float> pass(const std::vector<float>& seen, int64_t C) const {
    const NoGrad quiet;
    Run run;
    const Tensor window = from_values(seen, {1, context(), C});
    if (model_.encoder.channels == C)
      return to_host<float>(model_.encoder.predict({.values = window}, run));
    const Tensor apart = dense(window.view({C, context(), 1}, {1, C, 1}, 0));  // a row each series
    const auto ahead = to_host<float>(model_.encoder.predict({.values = apart}, run));
    std::vector<float> out(ahead.size());  // [C, steps] -> [steps, C]
    for (int64_t c = 0; c < C; ++c)
      for (int64_t t = 0; t < steps(); ++t) out[t * C + c] = ahead[c * steps() + t];
    return out;
  }

  struct Size {
    double mean = 0, deviation = 1;
  };
  Size size_of(const SeriesPanel& panel, size_t at) const {
    if (!scaler_) return {};
    const std::string& name = panel.names[at % panel.names.size()];
    const auto found = std::find(scaler_->names.begin(), scaler_->names.end(), name);
    ensure<FormatError>(found != scaler_->names.end(), "series.json: has no series named \"", name,
                        "\"; the model learnt others");
    const auto i = static_cast<size_t>(found - scaler_->names.begin());
    return {scaler_->mean[i], scaler_->deviation[i]};
  }
  float scaled(const SeriesPanel& panel, size_t at, float x) const {
    const Size s = size_of(panel, at);
    return static_cast<float>((x - s.mean) / s.deviation);
  }
  double unscaled(const SeriesPanel& panel, size_t at, float x) const {
    const Size s = size_of(panel, at);
    return x * s.deviation + s.mean;
  }

  Model model_;
  std::optional<SeriesScaler> scaler_;
};

double quantile(std::vector<double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Errors on windows of the past: [horizon * columns] lists, sorted.
std::vector<std::vector<double>> past_errors(const Forecaster& model, const SeriesPanel& panel,
                                             int64_t horizon, const std::string& file) {
  const int64_t C = panel.columns(), first = model.context(), last = panel.rows() - horizon;
  ensure<FormatError>(last - first + 1 >= kFewestWindows, file, ": has ", panel.rows(),
                      " rows; quantiles are measured on ", kFewestWindows,
                      " windows of the past or more, which needs ",
                      model.context() + horizon + kFewestWindows - 1, " rows");
  const int64_t count = std::min(last - first + 1, kMostWindows);
  std::vector<std::vector<double>> out(static_cast<size_t>(horizon * C));
  for (int64_t w = 0; w < count; ++w) {
    const int64_t end = first + (last - first) * w / (count - 1);
    const std::vector<double> said = model(panel, end, horizon);
    for (size_t i = 0; i < out.size(); ++i)
      out[i].push_back(panel.values[static_cast<size_t>(end * C) + i] - said[i]);
  }
  for (auto& errors : out) std::sort(errors.begin(), errors.end());
  return out;
}

// Column c of [steps, C].
std::vector<double> column(const std::vector<double>& values, size_t C, size_t c) {
  std::vector<double> out;
  for (size_t i = c; i < values.size(); i += C) out.push_back(values[i]);
  return out;
}

std::vector<SeriesForecast> forecast_panel(const Forecaster& model, const SeriesPanel& panel,
                                           const ForecastCommand& c, int64_t horizon) {
  const auto C = static_cast<size_t>(panel.columns());
  const std::vector<double> all = model(panel, panel.rows(), horizon);
  std::vector<std::vector<double>> errors;
  if (!c.quantiles.empty()) errors = past_errors(model, panel, horizon, c.input);
  const auto from = static_cast<size_t>(panel.rows() - model.context());
  std::vector<SeriesForecast> out;
  for (size_t s = 0; s < C; ++s) {
    SeriesForecast one{.name = panel.names[s], .values = column(all, C, s)};
    for (const double q : c.quantiles) {
      std::vector<double> values = one.values;
      for (size_t t = 0; t < values.size(); ++t) values[t] += quantile(errors[t * C + s], q);
      one.quantiles.push_back(std::move(values));
    }
    one.curve.name = one.name, one.curve.forecast = one.values;
    for (size_t t = from; t < panel.dates.size(); ++t)
      one.curve.past.push_back(panel.values[t * C + s]);
    if (one.quantiles.size() >= 2)
      one.curve.low = one.quantiles.front(), one.curve.high = one.quantiles.back();
    one.curve.first_date = panel.dates[from];
    out.push_back(std::move(one));
  }
  return out;
}

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string digits(double x) { return shortest(static_cast<float>(x)); }

}  // namespace

Forecast forecast_file(const ForecastCommand& c) {
  const Forecaster model(c.directory);
  const SeriesFile file = read_series(c.input);
  const int64_t horizon = c.horizon > 0 ? c.horizon : model.steps();
  ensure<UsageError>(horizon <= kMostSteps, "--horizon: found ", horizon, ", wanted at most ",
                     kMostSteps);
  Forecast out{.long_layout = file.long_layout, .quantiles = c.quantiles};
  std::sort(out.quantiles.begin(), out.quantiles.end());
  ForecastCommand sorted = c;
  sorted.quantiles = out.quantiles;
  for (const SeriesPanel& panel : file.panels) {
    model.check(panel, c.input);
    out.dates.push_back(dates_ahead(panel.dates, horizon));
    out.panels.push_back(forecast_panel(model, panel, sorted, horizon));
    for (SeriesForecast& one : out.panels.back())
      one.curve.turn = out.dates.back().front(), one.curve.last_date = out.dates.back().back();
    if (!c.quantiles.empty())
      out.windows += std::min(panel.rows() - horizon - model.context() + 1, kMostWindows);
  }
  return out;
}

std::string forecast_csv(const Forecast& f) {
  std::string out = f.long_layout ? "unique_id,ds,y" : "date";
  const auto head = [&](const std::string& name) {
    if (!f.long_layout) out += "," + cell(name);
    for (const double q : f.quantiles)
      out += "," + cell((f.long_layout ? "y" : name) + "@" + digits(q));
  };
  if (f.long_layout)
    head("y");
  else
    for (const SeriesForecast& one : f.panels[0]) head(one.name);
  out += "\n";
  for (size_t p = 0; p < f.panels.size(); ++p)
    for (size_t t = 0; t < f.dates[p].size(); ++t) {
      if (f.long_layout) out += cell(f.panels[p][0].name) + ",";
      out += cell(f.dates[p][t]);
      for (const SeriesForecast& one : f.panels[p]) {
        out += "," + digits(one.values[t]);
        for (const auto& values : one.quantiles) out += "," + digits(values[t]);
      }
      out += "\n";
    }
  return out;
}

Json forecast_json(const Forecast& f) {
  const auto numbers = [](const std::vector<double>& values) {
    Json out = Json::array();
    for (const double x : values) out.push(shortest_double(static_cast<float>(x)));
    return out;
  };
  Json series = Json::array();
  for (size_t p = 0; p < f.panels.size(); ++p)
    for (const SeriesForecast& one : f.panels[p]) {
      Json json = Json::object();
      json.set("name", one.name).set("dates", Json::list(f.dates[p]));
      json.set("values", numbers(one.values));
      Json quantiles = Json::object();
      for (size_t q = 0; q < f.quantiles.size(); ++q)
        quantiles.set(digits(f.quantiles[q]), numbers(one.quantiles[q]));
      if (!f.quantiles.empty()) json.set("quantiles", std::move(quantiles));
      series.push(std::move(json));
    }
  Json out = Json::object();
  out.set("schema", 1).set("horizon", f.dates.empty() ? 0 : f.dates[0].size());
  if (!f.quantiles.empty()) out.set("windows", f.windows);
  return std::move(out.set("series", std::move(series)));
}

}  // namespace jogak
