// The lesson on positional encoding at its three levels.
#pragma once

#include "explain/sheet.h"

namespace jogak {

struct PositionSizes {
  int64_t d;                   // worked by hand
  int64_t wide;                // for wavelengths and distances
  int64_t length;              // positions of the picture
  int64_t rows, shown;         // positions and dimensions in tables
  std::vector<int64_t> pairs;  // of the wide encoding: a few from the first to the last
};

void write_position_story(Sheet& s, const PositionSizes& n);
void write_position_steps(Sheet& s, const PositionSizes& n);
void write_position_math(Sheet& s, const PositionSizes& n);

}  // namespace jogak
