// Numbers as text that gives the same number again.
#pragma once

#include <string>

namespace jogak {

std::string shortest(float value);    // the fewest digits
double shortest_double(float value);  // which double is written with these digits: for JSON

}  // namespace jogak
