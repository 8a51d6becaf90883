#include "draw/marked_curves.h"

#include "draw/raster.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

size_t times(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

MarkedPlot two_curves() {
  MarkedPlot out{.title = "a < b", .x_title = "x", .y_title = "y"};
  out.curves = {{"first", {{1e3, 3}, {1e4, 2}}, {{1e3, 3.1}, {1e4, 2}}},
                {"second", {{1e3, 2}, {1e4, 1}}}};
  return out;
}

TEST(MarkedCurves, HasALineForEachCurveADotForEachValueAndNamesOfBoth) {
  const std::string svg = marked_curves_svg(two_curves(), Lang::en);
  EXPECT_EQ(times(svg, "<polyline"), 2u);
  EXPECT_EQ(times(svg, "<path"), 2u);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  for (const char* label : {"first", "second", "1,000", "2,000", "5,000", "10,000"})
    EXPECT_NE(svg.find(label), std::string::npos) << label;
}

TEST(MarkedCurves, WhatWasForetoldIsARingAndWhatCameADot) {
  MarkedPlot plot = two_curves();
  plot.foretold = {{.at = {4e4, 1.5}, .low = 1.4, .high = 1.7, .name = "foretold"}};
  const std::string alone = marked_curves_svg(plot, Lang::en);
  EXPECT_EQ(times(alone, "<path"), 2u + 4u);  // a ring is two shapes, in the plot and below
  plot.foretold[0].measured = {{4e4, 1.6}};
  plot.foretold[0].measured_name = "measured";
  const std::string both = marked_curves_svg(plot, Lang::ko);
  EXPECT_EQ(times(both, "<path"), 2u + 4u + 2u);
  EXPECT_NE(both.find("measured"), std::string::npos);
  const Raster points = rasterize(both);  // as PNG, too
  EXPECT_EQ(points.width, 1520);
}

TEST(MarkedCurves, ValuesThatAreAllEqualStillHaveAnAxis) {
  MarkedPlot plot{.title = "t", .x_title = "x", .y_title = "y"};
  plot.curves = {{"one", {{5, 2}, {5, 2}}, {{5, 2}}}};
  EXPECT_EQ(marked_curves_svg(plot, Lang::en).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace jogak
