// `jogak forecast`: a CSV of series goes on.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "draw/forecast_plot.h"

namespace jogak {

struct ForecastCommand {
  std::string directory, input;
  int64_t horizon = 0;                 // steps; 0: as many as the model gives at once
  std::vector<double> quantiles = {};  // of what may come, from 0 to 1
};

// One series as it goes on.
struct SeriesForecast {
  std::string name;
  std::vector<double> values = {};                  // [horizon]
  std::vector<std::vector<double>> quantiles = {};  // one for each asked for, [horizon]
  ForecastCurve curve = {};                         // with as much of the past as the model saw
};

struct Forecast {
  std::vector<std::vector<std::string>> dates = {};  // of each panel, [horizon]
  std::vector<std::vector<SeriesForecast>> panels = {};
  bool long_layout = false;
  std::vector<double> quantiles = {};
  int64_t windows = 0;  // of the past that the quantiles were measured on
};

// The series are brought to the size the model learnt on (series.json) and back. More steps than
// the model gives at once: what it said is read as if it had been measured. Quantiles are those of
// its errors on the windows of the file's past, at the same distance, added to the forecast.
Forecast forecast_file(const ForecastCommand& command);

std::string forecast_csv(const Forecast& forecast);
// {"schema","horizon","windows","series":[{"name","dates","values","quantiles":{"0.1":[..]}}]}
Json forecast_json(const Forecast& forecast);

}  // namespace jogak
