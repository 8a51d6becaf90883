#include "app/use/forecaster.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/train/recipe.h"
#include "app/use/text_reader.h"
#include "autograd/autograd.h"
#include "base/file.h"
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

}  // namespace

// The model, and the sizes it learnt its series in.
struct SeriesModel {
  Model model;
  std::optional<SeriesScaler> scaler;
  DataRecipe data;  // as it was trained with

  explicit SeriesModel(const std::string& directory)
      : model(open_model(directory, {.use = WeightUse::as_stored})),
        scaler(scaler_of(directory)),
        data(run_recipe(directory).data) {
    ensure<FormatError>(model.encodes() && model.encoder.task == EncoderTask::forecast, directory,
                        ": a ", model.model_type, " model, wanted one that forecasts, such as ",
                        "patchtst; ", command_for(model), " runs this one");
  }

  int64_t context() const { return model.encoder.context; }
  int64_t steps() const { return model.encoder.horizon; }

  // A model of one series runs on each column by itself, another on all of a panel.
  void check(const SeriesPanel& panel, const std::string& file) const {
    const int64_t wanted = model.encoder.channels;
    ensure<FormatError>(wanted == 1 || panel.columns() == wanted, file, ": has ", panel.columns(),
                        " series, the model was made for ", wanted);
    if (model.encoder.from_shorter && panel.rows() > 0) return;
    ensure<FormatError>(panel.rows() >= context(), file, ": has ", panel.rows(),
                        " rows, the model reads ", context(), " to forecast the next");
  }

  // [rows, columns] of a panel up to `end` -> [horizon, columns]
  std::vector<double> operator()(const SeriesPanel& panel, int64_t end,
                                 const ForecastOptions& asked) const {
    const int64_t horizon = asked.horizon;
    const int64_t C = panel.columns();
    const int64_t from = std::max<int64_t>(0, end - context());
    int64_t missing = context() - (end - from);  // rows before the series began
    std::vector<float> seen(static_cast<size_t>(missing * C), 0.0f);
    for (int64_t i = from * C; i < end * C; ++i)
      seen.push_back(scaled(panel, static_cast<size_t>(i), panel.values[static_cast<size_t>(i)]));
    std::vector<double> out;
    while (static_cast<int64_t>(out.size()) < horizon * C) {
      const std::vector<float> ahead = pass({seen, C, missing}, asked.stop);  // [steps, C]
      missing = std::max<int64_t>(0, missing - steps());
      for (size_t i = 0; i < ahead.size() && static_cast<int64_t>(out.size()) < horizon * C; ++i)
        out.push_back(unscaled(panel, i, ahead[i]));
      seen.insert(seen.end(), ahead.begin(), ahead.end());
      seen.erase(seen.begin(), seen.begin() + static_cast<ptrdiff_t>(ahead.size()));
    }
    return out;
  }

  struct Window {
    const std::vector<float>& values;  // [context, C]
    int64_t C = 1, missing = 0;        // of its rows, so many at the beginning are not known
  };

  // bool, of the shape of the windows; undefined: all is known.
  static Tensor known(const Window& in, const Shape& shape) {
    if (in.missing == 0) return {};
    std::vector<uint8_t> out(static_cast<size_t>(shape.count()), 1);
    for (int64_t row = 0; row < shape[0]; ++row)
      std::fill_n(out.begin() + row * shape[1] * shape[2], in.missing * shape[2], uint8_t{0});
    return cast(from_values(out, shape), DType::boolean);
  }

  // One window -> [steps, C].
  std::vector<float> pass(const Window& in, const std::atomic<bool>* stop) const {
    const NoGrad quiet;
    Run run;
    run.stop = stop;
    const int64_t C = in.C;
    const Tensor window = from_values(in.values, {1, context(), C});
    const auto forecast = [&](const Tensor& values) {
      const Tensor mask = known(in, values.shape());
      return to_host<float>(point_forecast(
          model.encoder, model.encoder.predict({.values = values, .mask = mask}, run)));
    };
    if (model.encoder.channels == C) return forecast(window);
    const Tensor apart = dense(window.view({C, context(), 1}, {1, C, 1}, 0));  // a row each series
    const auto ahead = forecast(apart);
    std::vector<float> out(ahead.size());  // [C, steps] -> [steps, C]
    for (int64_t c = 0; c < C; ++c)
      for (int64_t t = 0; t < steps(); ++t) out[t * C + c] = ahead[c * steps() + t];
    return out;
  }

  struct Size {
    double mean = 0, deviation = 1;
  };
  Size size_of(const SeriesPanel& panel, size_t at) const {
    if (!scaler) return {};
    const std::string& name = panel.names[at % panel.names.size()];
    const auto found = std::find(scaler->names.begin(), scaler->names.end(), name);
    ensure<FormatError>(found != scaler->names.end(), "series.json: has no series named \"", name,
                        "\"; the model learnt others");
    const auto i = static_cast<size_t>(found - scaler->names.begin());
    return {scaler->mean[i], scaler->deviation[i]};
  }
  float scaled(const SeriesPanel& panel, size_t at, float x) const {
    const Size s = size_of(panel, at);
    return static_cast<float>((x - s.mean) / s.deviation);
  }
  double unscaled(const SeriesPanel& panel, size_t at, float x) const {
    const Size s = size_of(panel, at);
    return x * s.deviation + s.mean;
  }
};

namespace {

double mean_size(const std::vector<double>& errors) {
  double sum = 0;
  for (const double x : errors) sum += std::abs(x);
  return sum / static_cast<double>(errors.size());
}

double quantile(std::vector<double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Errors on windows of the past: [horizon * columns] lists, sorted.
std::vector<std::vector<double>> past_errors(const SeriesModel& model, const SeriesPanel& panel,
                                             const ForecastOptions& asked,
                                             const std::string& file) {
  const int64_t horizon = asked.horizon;
  const int64_t C = panel.columns(), first = model.context(), last = panel.rows() - horizon;
  ensure<FormatError>(last - first + 1 >= kFewestWindows, file, ": has ", panel.rows(),
                      " rows; quantiles are measured on ", kFewestWindows,
                      " windows of the past or more, which needs ",
                      model.context() + horizon + kFewestWindows - 1, " rows");
  const int64_t count = std::min(last - first + 1, kMostWindows);
  std::vector<std::vector<double>> out(static_cast<size_t>(horizon * C));
  for (int64_t w = 0; w < count; ++w) {
    const int64_t end = first + (last - first) * w / (count - 1);
    const std::vector<double> said = model(panel, end, asked);
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

// Every series of a panel; `asked` has a horizon and its quantiles in order.
std::vector<SeriesForecast> forecast_panel(const SeriesModel& model, const SeriesPanel& panel,
                                           const ForecastOptions& asked, const std::string& file) {
  const auto C = static_cast<size_t>(panel.columns());
  const std::vector<double> all = model(panel, panel.rows(), asked);
  std::vector<std::vector<double>> errors;
  if (!asked.quantiles.empty()) errors = past_errors(model, panel, asked, file);
  const auto from = static_cast<size_t>(std::max<int64_t>(0, panel.rows() - model.context()));
  std::vector<SeriesForecast> out;
  for (size_t s = 0; s < C; ++s) {
    SeriesForecast one{.name = panel.names[s], .values = column(all, C, s)};
    for (const double q : asked.quantiles) {
      std::vector<double> values = one.values;
      for (size_t t = 0; t < values.size(); ++t) values[t] += quantile(errors[t * C + s], q);
      one.quantiles.push_back(std::move(values));
    }
    for (size_t t = s; t < errors.size(); t += C) one.error.push_back(mean_size(errors[t]));
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

}  // namespace

struct Forecaster::Parts : SeriesModel {
  using SeriesModel::SeriesModel;
};

Forecaster::Forecaster(const std::string& directory) : parts_(std::make_unique<Parts>(directory)) {}
Forecaster::~Forecaster() = default;
Forecaster::Forecaster(Forecaster&&) noexcept = default;
Forecaster& Forecaster::operator=(Forecaster&&) noexcept = default;

const Model& Forecaster::model() const { return parts_->model; }

Forecast Forecaster::forecast(const std::string& csv, const ForecastOptions& options) const {
  const DataRecipe& d = parts_->data;
  const SeriesColumns columns{options.date_column.value_or(d.date_column),
                              split_list(options.series.value_or(d.series)),
                              missing_named(d.missing)};
  return forecast(read_series(csv, columns), options);
}

Forecast Forecaster::forecast(const SeriesFile& file, const ForecastOptions& options) const {
  ForecastOptions asked = options;
  if (asked.horizon <= 0) asked.horizon = parts_->steps();
  ensure<UsageError>(asked.horizon <= kMostSteps, "--horizon: found ", asked.horizon,
                     ", wanted at most ", kMostSteps);
  std::sort(asked.quantiles.begin(), asked.quantiles.end());
  Forecast out{.long_layout = file.long_layout, .quantiles = asked.quantiles};
  for (const SeriesPanel& panel : file.panels) {
    parts_->check(panel, file.name);
    out.dates.push_back(dates_ahead(panel.dates, asked.horizon));
    out.panels.push_back(forecast_panel(*parts_, panel, asked, file.name));
    for (SeriesForecast& one : out.panels.back())
      one.curve.turn = out.dates.back().front(), one.curve.last_date = out.dates.back().back();
    if (!asked.quantiles.empty())
      out.windows += std::min(panel.rows() - asked.horizon - parts_->context() + 1, kMostWindows);
  }
  return out;
}

}  // namespace jogak
