// The Python of a lesson: what opens a file, and how numbers and names are written in it.
#pragma once

#include <string>
#include <string_view>

#include "draw/matrix.h"
#include "explain/rule.h"

namespace jogak {

std::string code_heading(Library library, int digits);  // imports and show()
std::string python_matrix(const Matrix& m);             // "[[1, 0], [0.5, 1]]"
std::string python_vector(const Matrix& m);             // of one row: "[1, 0.5]"

// A table's name as a variable: Python's own functions keep theirs ("sum_").
std::string python_name(std::string_view table);

}  // namespace jogak
