// Letters of a font that is installed, as outlines. Without FreeType, or where no font with Hangul
// is found, there are none, and pictures of points fall back to the strokes of stroke_font.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/svg.h"

namespace jogak {

struct LetterOutline {
  std::vector<std::vector<Point>> rings;  // in ems, 0 the baseline, y grows downwards
  double advance = 0;
};

// Nothing where there is no such font or it lacks the character. $JOGAK_FONT names a font file to
// take, or "none".
std::optional<LetterOutline> letter_outline(char32_t code, bool bold);

}  // namespace jogak
