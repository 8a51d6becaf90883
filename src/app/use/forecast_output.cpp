// A forecast as CSV, as JSON, and as curves to draw.
#include "app/use/forecaster.h"
#include "base/shortest.h"

namespace jogak {
namespace {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string digits(double x) { return shortest(static_cast<float>(x)); }

}  // namespace

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

std::vector<ForecastCurve> forecast_curves(const Forecast& forecast) {
  std::vector<ForecastCurve> out;
  for (const auto& panel : forecast.panels)
    for (const SeriesForecast& one : panel) out.push_back(one.curve);
  return out;
}

Json to_json(const Forecast& f, const SeriesDetails& more) {
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
      if (more) more(p, one, json);
      series.push(std::move(json));
    }
  Json out = Json::object();
  out.set("schema", 1).set("horizon", f.dates.empty() ? 0 : f.dates[0].size());
  if (!f.quantiles.empty()) out.set("windows", f.windows);
  return std::move(out.set("series", std::move(series)));
}

}  // namespace jogak
