// Checks a sum worked by hand, such as "0.5·1.224743 + (-1) = -0.387629". Every rounded number
// stands for all numbers that round to it, so the claim is checked with intervals.
#pragma once

#include <string>
#include <string_view>

namespace jogak::test {

struct Interval {
  long double low, high;
};

// The numbers a printed one may stand for. Fewer than six decimals and no exponent: exact.
Interval printed_interval(std::string_view number);

// Empty when the last "= value" can be had from the expression before it; else what is wrong.
std::string check_work(std::string_view line);

}  // namespace jogak::test
