// How series went and how they are expected to go on, as SVG or drawn with characters.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/lang.h"

namespace jogak {

struct ForecastCurve {
  std::string name;
  std::vector<double> past = {}, forecast = {};
  std::vector<double> low = {}, high = {};  // around the forecast; empty: not known
  std::string first_date = {}, turn = {},
              last_date = {};  // of the past, of the forecast's begin and end
};

std::string forecast_svg(std::span<const ForecastCurve> curves, Lang lang);
std::string forecast_text(const ForecastCurve& curve, int columns, Lang lang);  // a few lines

}  // namespace jogak
