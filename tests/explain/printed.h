// Reads the numbers back from what to_text printed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "explain/lesson.h"

namespace jogak::test {

struct Printed {
  Matrix values;                  // as printed
  std::vector<double> half_unit;  // half a unit of each number's last printed place
};

// By table name. Throws std::runtime_error when the text does not show a table of the lesson.
std::map<std::string, Printed> read_printed(const Lesson& lesson, const std::string& text);

}  // namespace jogak::test
