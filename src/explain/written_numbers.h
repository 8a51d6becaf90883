// Numbers as people write them in answers.
#pragma once

#include <string_view>
#include <vector>

namespace jogak {

// What "0.5, 1/2", "2,912", "２９１２개" or "70 %" may mean: lists of numbers, none when it is
// something else. A comma before three digits may part two numbers or one number's thousands: both
// are given.
std::vector<std::vector<double>> readings_of(std::string_view written);

}  // namespace jogak
