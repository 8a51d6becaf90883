// Curves over a logarithmic axis and the values that were measured, as dots on or beside them.
#pragma once

#include <string>
#include <vector>

#include "base/lang.h"
#include "draw/svg.h"

namespace jogak {

struct MarkedCurve {
  std::string name;
  std::vector<Point> curve = {}, dots = {};  // x above 0
};
// What was foretold and, if it was measured since, what came.
struct Foretold {
  Point at;
  double low = 0, high = 0;  // of y
  std::vector<Point> measured = {};
  std::string name = {}, measured_name = {};
};
struct MarkedPlot {
  std::string title, x_title, y_title;
  std::string description = {};  // in words
  std::vector<MarkedCurve> curves = {};
  std::vector<Foretold> foretold = {};
};

std::string marked_curves_svg(const MarkedPlot& plot, Lang lang);

}  // namespace jogak
