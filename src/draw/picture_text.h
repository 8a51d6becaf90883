// Pictures drawn with characters: shaded cells, bars and small curves.
#pragma once

#include <string>

#include "draw/picture.h"

namespace jogak {

// `width` columns of the heat map's colour for `share` of its range; of ░▒▓█ without colour.
std::string shaded(double share, bool diverging, bool colour, size_t width);

std::string diagram_text(const Picture& picture, size_t columns);
std::string picture_text(const Picture& picture, bool colour, int columns);

}  // namespace jogak
