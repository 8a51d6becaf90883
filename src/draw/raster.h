// Pictures of points: draws the SVG that svg.h writes.
#pragma once

#include <cstdint>
#include <string_view>

#include "draw/canvas.h"

namespace jogak {

enum class Letters : uint8_t { of_a_font, of_strokes };  // strokes too where no font is installed

// `scale` points for each unit of the SVG. Knows the elements that Svg and svg_file write, moved
// groups among them, and nothing else; FormatError for another.
Raster rasterize(std::string_view svg, double scale = 2, Letters letters = Letters::of_a_font);

}  // namespace jogak
