// A small font of strokes, so that pictures of points have letters without any font file: ASCII,
// Latin letters with marks, and every Hangul syllable, put together from its parts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "draw/stroke.h"

namespace jogak {

struct StrokedText {
  std::vector<std::vector<Stroke>> glyphs;  // in text units: the letter height is 1, 0 the baseline
  double width = 0;
};

// Each character's strokes one after the other from x = 0; y grows downwards. A character the font
// does not have is an empty box.
StrokedText stroked(std::string_view utf8);

}  // namespace jogak
