#include "draw/forecast_plot.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/terminal.h"
#include "draw/svg.h"

namespace jogak {
namespace {

constexpr double kWidth = 760, kLeft = 74, kRight = 24, kTop = 40, kPlot = 170, kPanel = 256;
constexpr std::string_view kPast = "#555555", kAhead = "#1f5fa8", kBand = "#cfe0f3";

struct Range {
  double low = 0, high = 1;
  double share(double value) const { return (value - low) / (high - low); }
};

Range range_of(const ForecastCurve& c) {
  Range out{INFINITY, -INFINITY};
  for (const auto* values : {&c.past, &c.forecast, &c.low, &c.high})
    for (const double x : *values) out = {std::min(out.low, x), std::max(out.high, x)};
  const double air = std::max((out.high - out.low) * 0.05, 1e-9 * std::abs(out.high) + 1e-12);
  return {out.low - air, out.high + air};
}

// Enough digits to tell the ends of the range apart.
std::string label(double value, const Range& range) {
  const double size = std::max(range.high - range.low, 1e-12);
  return fixed(value, static_cast<int>(std::clamp(2 - std::floor(std::log10(size)), 0.0, 9.0)));
}

struct Frame {
  const ForecastCurve& curve;
  Range range;
  double top;

  double x(size_t step) const {
    const double last = static_cast<double>(curve.past.size() + curve.forecast.size()) - 1;
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(step) / std::max(last, 1.0);
  }
  double y(double value) const { return top + kTop + kPlot * (1 - range.share(value)); }
  std::string point(size_t step, double value) const {
    return svg_number(x(step)) + "," + svg_number(y(value)) + " ";
  }
};

void draw_band(const Frame& f, Svg& svg) {
  const ForecastCurve& c = f.curve;
  if (c.low.empty()) return;
  std::string data = "M ";
  for (size_t i = 0; i < c.high.size(); ++i) data += f.point(c.past.size() + i, c.high[i]);
  for (size_t i = c.low.size(); i-- > 0;) data += f.point(c.past.size() + i, c.low[i]);
  svg.path(data + "Z", kBand);
}

void draw(const Frame& f, Lang lang, Svg& svg) {
  const ForecastCurve& c = f.curve;
  svg.text({kLeft, f.top + 24}, c.name, {Svg::Anchor::start, 15, true});
  for (int i = 0; i <= 4; ++i) {
    const double value = f.range.low + (f.range.high - f.range.low) * i / 4;
    svg.line({kLeft, f.y(value)}, {kWidth - kRight, f.y(value)}, "#dddddd");
    svg.text({kLeft - 6, f.y(value) + 4}, label(value, f.range), {Svg::Anchor::end, 11});
  }
  draw_band(f, svg);
  std::string past, ahead;
  for (size_t i = 0; i < c.past.size(); ++i) past += f.point(i, c.past[i]);
  if (!c.past.empty()) ahead = f.point(c.past.size() - 1, c.past.back());
  for (size_t i = 0; i < c.forecast.size(); ++i) ahead += f.point(c.past.size() + i, c.forecast[i]);
  svg.curve(past, kPast);
  svg.curve(ahead, kAhead);
  const double turn = f.x(c.past.size());
  svg.line({turn, f.top + kTop}, {turn, f.top + kTop + kPlot}, "#999999");
  const double below = f.top + kTop + kPlot + 18;
  svg.text({kLeft, below}, c.first_date, {Svg::Anchor::start, 11});
  svg.text({turn, f.top + kTop - 5}, c.turn, {Svg::Anchor::middle, 11});
  svg.text({kWidth - kRight, below}, c.last_date, {Svg::Anchor::end, 11});
  svg.text({kWidth - kRight, f.top + 24}, lang == Lang::ko ? "예측" : "forecast",
           {Svg::Anchor::end, 12, false, kAhead});
}

// The values a column of characters stands for, as their mean; NaN: none.
std::vector<double> columns_of(const std::vector<double>& values, size_t first, size_t total,
                               size_t columns) {
  std::vector<double> sum(columns), count(columns);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t at = std::min(columns - 1, (first + i) * columns / total);
    sum[at] += values[i];
    ++count[at];
  }
  for (size_t i = 0; i < columns; ++i) sum[i] = count[i] > 0 ? sum[i] / count[i] : NAN;
  return sum;
}

}  // namespace

std::string forecast_svg(std::span<const ForecastCurve> curves, Lang lang) {
  Svg svg;
  std::string names;
  for (size_t i = 0; i < curves.size(); ++i) {
    draw({curves[i], range_of(curves[i]), static_cast<double>(i) * kPanel}, lang, svg);
    names += (i > 0 ? ", " : "") + curves[i].name;
  }
  const std::string title = lang == Lang::ko ? "예측" : "Forecast";
  return svg_file({.width = kWidth,
                   .height = kPanel * static_cast<double>(curves.size()),
                   .lang = lang,
                   .title = title,
                   .description = (lang == Lang::ko ? "지나온 값(회색)과 예측(파랑): "
                                                    : "the past (grey) and the forecast (blue): ") +
                                  names},
                  svg.body());
}

std::string forecast_text(const ForecastCurve& c, int screen, Lang lang) {
  constexpr size_t kRows = 9;
  const Range range = range_of(c);
  const std::string high = label(range.high, range), low = label(range.low, range);
  const size_t margin = std::max(high.size(), low.size());
  const size_t total = c.past.size() + c.forecast.size();
  const size_t room = static_cast<size_t>(std::max(screen, 20));
  const size_t columns = std::min(total, std::max<size_t>(room, margin + 13) - margin - 3);
  const auto past = columns_of(c.past, 0, total, columns);
  const auto ahead = columns_of(c.forecast, c.past.size(), total, columns);
  std::vector<std::vector<const char*>> grid(kRows, std::vector<const char*>(columns, " "));
  const auto put = [&](const std::vector<double>& values, const char* mark) {
    for (size_t x = 0; x < columns; ++x) {
      if (std::isnan(values[x])) continue;
      const double y = (1 - range.share(values[x])) * (kRows - 1);
      grid[static_cast<size_t>(std::clamp(std::lround(y), 0L, static_cast<long>(kRows - 1)))][x] =
          mark;
    }
  };
  put(past, "·");
  put(ahead, "●");
  std::string out =
      c.name + (lang == Lang::ko ? "  (· 지나온 값, ● 예측)\n" : "  (· past, ● forecast)\n");
  for (size_t y = 0; y < kRows; ++y) {
    const std::string side = y == 0 ? high : y + 1 == kRows ? low : "";
    std::string line = pad_left(side, margin) + " │ ";
    for (const char* mark : grid[y]) line += mark;
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out + std::string(margin + 3, ' ') + c.first_date + " … " + c.last_date + "\n";
}

}  // namespace jogak
