#pragma once

namespace jogak {

struct Stroke {
  double x0, y0, x1, y1;  // a dot when both ends are one point
};

}  // namespace jogak
