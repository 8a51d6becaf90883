// Lines, areas and letters on a grid of points, with soft edges.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "draw/stroke.h"
#include "draw/svg.h"

namespace jogak {

struct Raster {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> pixels;  // [height, width, 3]: red, green, blue
};

class Canvas {
 public:
  Canvas(int64_t width, int64_t height);
  enum class Fill : uint8_t { even_odd, winding };
  void area(const std::vector<std::vector<Point>>& rings, Rgb colour, Fill fill = Fill::even_odd);
  void strokes(const std::vector<Stroke>& lines, double width, Rgb colour);
  Raster take() && { return std::move(raster_); }

 private:
  void blend(int64_t x, int64_t y, double share, Rgb colour);
  Raster raster_;
};

}  // namespace jogak
