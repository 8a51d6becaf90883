// A model that forecasts and is open: series go on, any number of them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/series.h"
#include "draw/forecast_plot.h"

namespace jogak {

struct Model;

struct ForecastOptions {
  int64_t horizon = 0;                 // steps; 0: as many as the model gives at once
  std::vector<double> quantiles = {};  // of what may come, from 0 to 1
  // Of a CSV; what is not given is as the model was trained with.
  std::optional<std::string> date_column = {}, series = {};
  const std::atomic<bool>* stop = nullptr;  // set it, and Stopped is thrown
};

// One series as it goes on.
struct SeriesForecast {
  std::string name;
  std::vector<double> values = {};                  // [horizon]
  std::vector<std::vector<double>> quantiles = {};  // one for each asked for, [horizon]
  ForecastCurve curve = {};                         // with as much of the past as the model saw
  std::vector<double> error = {};  // with quantiles: the mean absolute one of the past, [horizon]
};

struct Forecast {
  std::vector<std::vector<std::string>> dates = {};  // of each panel, [horizon]
  std::vector<std::vector<SeriesForecast>> panels = {};
  bool long_layout = false;
  std::vector<double> quantiles = {};  // in order
  int64_t windows = 0;                 // of the past that the quantiles were measured on
};

class Forecaster {
 public:
  // FormatError for a model that does not forecast, naming the command that runs it.
  explicit Forecaster(const std::string& directory);
  ~Forecaster();
  Forecaster(Forecaster&&) noexcept;
  Forecaster& operator=(Forecaster&&) noexcept;

  // The series are brought to the size the model learnt on (series.json) and back. More steps than
  // the model gives at once: what it said is read as if it had been measured. Quantiles are those
  // of its errors on the windows of the series' past, at the same distance, added to the forecast.
  Forecast forecast(const SeriesFile& series, const ForecastOptions& options = {}) const;
  Forecast forecast(const std::string& csv, const ForecastOptions& options = {}) const;

  const Model& model() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

std::string forecast_csv(const Forecast& forecast);
std::vector<ForecastCurve> forecast_curves(const Forecast& forecast);
// {"schema","horizon","windows","series":[{"name","dates","values","quantiles":{"0.1":[..]}}]}
// `more` adds what else a reader wants to know of a series of a panel.
using SeriesDetails = std::function<void(size_t panel, const SeriesForecast& one, Json& json)>;
Json to_json(const Forecast& forecast, const SeriesDetails& more = {});

}  // namespace jogak
