#include "draw/forecast_plot.h"

#include <algorithm>
#include <cmath>

#include "base/terminal.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

ForecastCurve wave(size_t past, size_t ahead) {
  ForecastCurve out{.name = "power <kW>"};
  for (size_t i = 0; i < past; ++i) out.past.push_back(std::sin(static_cast<double>(i) / 5));
  for (size_t i = 0; i < ahead; ++i) {
    out.forecast.push_back(std::sin(static_cast<double>(past + i) / 5));
    out.low.push_back(out.forecast.back() - 0.5);
    out.high.push_back(out.forecast.back() + 0.5);
  }
  out.first_date = "2031-05-01", out.turn = "2031-05-09", out.last_date = "2031-05-12";
  return out;
}

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(ForecastPlot, SvgHasACurveForPastAndFutureAndABand) {
  const std::vector<ForecastCurve> two = {wave(96, 24), wave(50, 10)};
  const std::string svg = forecast_svg(two, Lang::en);
  EXPECT_TRUE(svg.starts_with("<svg") || svg.starts_with("<?xml")) << svg.substr(0, 40);
  EXPECT_EQ(count(svg, "<polyline"), 4u);
  EXPECT_EQ(count(svg, "<path"), 2u);
  EXPECT_EQ(svg.find("power <kW>"), std::string::npos) << "names are escaped";
  EXPECT_NE(svg.find("2031-05-09"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  ForecastCurve bare = wave(9, 3);
  bare.low.clear(), bare.high.clear();
  EXPECT_EQ(count(forecast_svg(std::vector{bare}, Lang::ko), "<path"), 0u);
}

TEST(ForecastPlot, TextFitsTheScreen) {
  for (const int columns : {40, 80, 120})
    for (const auto& [past, ahead] :
         {std::pair<size_t, size_t>{96, 24}, {3, 1}, {1, 1}, {700, 96}}) {
      const std::string text = forecast_text(wave(past, ahead), columns, Lang::en);
      EXPECT_GT(count(text, "●"), 0u);
      EXPECT_GT(count(text, "·"), 1u);
      for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        EXPECT_LE(display_width(text.substr(at, end - at)), static_cast<size_t>(columns)) << text;
        at = end + 1;
      }
    }
}

TEST(ForecastPlot, AConstantSeriesIsALine) {
  ForecastCurve flat{.name = "flat", .past = {5, 5, 5}, .forecast = {5, 5}};
  EXPECT_EQ(forecast_svg(std::vector{flat}, Lang::en).find("nan"), std::string::npos);
  EXPECT_EQ(count(forecast_text(flat, 60, Lang::en), "●"), 3u) << "two and the one that explains";
}

}  // namespace
}  // namespace jogak
