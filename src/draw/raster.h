// Pictures of points: draws the SVG that svg.h writes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace jogak {

struct Raster {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> pixels;  // [height, width, 3]: red, green, blue
};

// `scale` points for each unit of the SVG. Knows the elements that Svg and svg_file write, moved
// groups among them, and nothing else; FormatError for another.
Raster rasterize(std::string_view svg, double scale = 2);

}  // namespace jogak
