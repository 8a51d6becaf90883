// Floating numbers as Python writes them.
#pragma once

#include <string>

namespace jogak::jinja {

std::string python_number(double value);  // repr() of a float

}  // namespace jogak::jinja
