// Pictures drawn with characters: shaded cells, bars and small curves.
#pragma once

#include <string>

#include "look/lesson.h"

namespace jogak {

std::string picture_text(const Picture& picture, bool colour, int columns);

}  // namespace jogak
