#include "app/use/forecaster.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/file.h"
#include "cli/command.h"
#include "cli/complain.h"

namespace jogak::cli {
namespace {

std::vector<double> quantiles_of(const Context& c) {
  std::vector<double> out;
  for (const std::string& word : c.args.list("quantiles"))
    for (size_t at = 0; at <= word.size();) {
      const size_t end = std::min(word.find(',', at), word.size());
      double value = -1;
      const auto [stop, error] = std::from_chars(word.data() + at, word.data() + end, value);
      if (error != std::errc() || stop != word.data() + end || !(value >= 0 && value <= 1))
        Complaint{c.lang()}.value("--quantiles", word.substr(at, end - at),
                                  c.lang() == Lang::ko ? "0과 1 사이의 수" : "numbers from 0 to 1");
      out.push_back(value);
      at = end + 1;
    }
  return out;
}

int do_forecast(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  if (!args.given("input")) Complaint{c.lang()}.missing_option("--input");
  const std::string plot = args.text("plot");
  if (plot == "-" && args.flag("json")) Complaint{c.lang()}.together("--plot -", "--json");
  if (plot != "-") check_drawing(args, "plot", {"input"});
  ForecastOptions options{.quantiles = quantiles_of(c)};
  if (args.given("date-column")) options.date_column = args.text("date-column");
  if (args.given("series")) options.series = args.text("series");
  if (args.given("horizon")) options.horizon = args.integer("horizon");
  const Forecaster forecaster(args.operand("DIR"));
  const Forecast forecast = forecaster.forecast(args.text("input"), options);
  if (plot == "-") {
    for (const ForecastCurve& curve : forecast_curves(forecast))
      c.out.write(forecast_text(curve, Output::columns(), c.lang()));
    return 0;
  }
  if (!plot.empty()) write_file(plot, forecast_svg(forecast_curves(forecast), c.lang()));
  if (args.flag("json"))
    c.out.line(to_json(forecast).dump());
  else
    c.out.write(forecast_csv(forecast));
  return 0;
}

}  // namespace

Command forecast_command() {
  Command out{.name = "forecast",
              .group = Group::use,
              .summary = {"CSV의 시계열을 이어 나갑니다", "goes on with the series of a CSV"}};
  out.operands = {{"DIR", {"PatchTST 모델의 디렉터리", "directory of a PatchTST model"}}};
  out.options = {
      {.name = "input",
       .help = {"날짜 열과 시계열의 열들, 또는 unique_id,ds,y",
                "a CSV: a column of dates and series, or unique_id,ds,y"},
       .value = "CSV"},
      {.name = "date-column",
       .help = {"날짜 열 (기본: 학습한 대로)",
                "the column of the dates (default: as it was trained)"},
       .value = "NAME"},
      {.name = "series",
       .help = {"쓸 열들, a,b (기본: 학습한 대로)",
                "which columns, a,b (default: as it was trained)"},
       .value = "NAMES"},
      {.name = "horizon",
       .help = {"몇 스텝 앞까지 (기본: 모델이 한 번에 내는 만큼)",
                "steps ahead (default: as many as the model gives at once)"},
       .kind = Kind::integer,
       .value = "N",
       .low = 1,
       .high = 1e6},
      {.name = "quantiles",
       .help = {"예측의 분위수, 파일의 지난 창에서 난 오차로 잽니다",
                "quantiles of what may come, measured by the errors on the file's past: 0.1,0.9"},
       .value = "Q,Q",
       .times = Times::list},
      {.name = "plot",
       .help = {"SVG 그림을 쓸 파일; -는 CSV 대신 글자로 그린 그림",
                "file for an SVG picture; - draws with characters instead of the CSV"},
       .value = "FILE"},
      overwrite_option(),
      device_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak train recipes/patchtst-series.toml --out runs/series",
       {"시계열을 내다보는 작은 PatchTST", "a small PatchTST that forecasts series"}},
      {"jogak data make series series.csv --count 600", {"이어질 시계열", "series to go on with"}},
      {"jogak forecast runs/series --input series.csv > ahead.csv",
       {"다음 값들을 CSV로", "what comes next, as CSV"}},
      {"jogak forecast runs/series --input series.csv --quantiles 0.1,0.9 --plot ahead.svg",
       {"열에 여덟은 이 안에 드는 띠와 그림",
        "with a band that holds eight in ten, and a picture"}},
      {"jogak forecast runs/series --input series.csv --plot -",
       {"화면에 그립니다", "draws on the screen"}},
  };
  out.run = do_forecast;
  return out;
}

}  // namespace jogak::cli
