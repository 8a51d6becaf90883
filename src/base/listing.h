// Several things in one line of words.
#pragma once

#include <string>
#include <vector>

namespace jogak {

// The first eight, and how many more there are: "a, b, c", "a, b, .. and 12 more".
std::string first_of(const std::vector<std::string>& things, const char* between = ", ");

}  // namespace jogak
