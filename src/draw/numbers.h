// How numbers are written: the same in tables, in sentences and in the sums worked by hand.
#pragma once

#include <string>
#include <vector>

#include "draw/matrix.h"

namespace jogak {

// Fixed with `digits` after the point; very large and very small ones as 1.23457e-09. What is
// below 1e-12 is rounding noise next to the numbers of a lesson and prints as zero.
std::string fixed_text(double value, int digits = 6);

// A whole number without a point, otherwise fixed_text: for sums worked by hand.
std::string plain_text(double value, int digits = 6);

// Three decimals, or two figures of a smaller one: in pictures.
std::string short_text(double value);
std::string scale_text(double value);  // four digits that count, no zeros behind them

std::string exact_text(double value);  // shortest text that reads back as the same double

// Entries row by row, in one style for the whole table; kAsGiven repeats a user's numbers exactly.
inline constexpr int kAsGiven = -1;
std::vector<std::string> cell_texts(const Matrix& table, int digits);

}  // namespace jogak
