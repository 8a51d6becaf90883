// The steps of the lesson on positional encoding.
#pragma once

#include "explain/topic.h"

namespace jogak {

struct PositionNumbers {
  int64_t d;                   // worked by hand
  int64_t wide;                // for wavelengths and distances
  int64_t length;              // positions of the picture
  int64_t rows, shown, half;   // positions and dimensions in tables; length / 2
  std::vector<int64_t> pairs;  // of the wide encoding: a few from the first to the last
  std::vector<double> distances;
};

std::vector<double> counted(int64_t count);  // 0, 1, ..., count - 1
Table position_table(const PositionNumbers& n);
Table dots_table(const PositionNumbers& n);

void add_position_steps(Lesson& lesson, const PositionNumbers& n);
void add_position_math(Lesson& lesson, const PositionNumbers& n);

}  // namespace jogak
