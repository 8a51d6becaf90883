// Texts put together of parts: patterns with places to fill, lists, numbered labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

using Parts = std::vector<std::string>;

// {0}, {1}, ... become parts, and a particle in braces as "{0}{을}" the form that fits behind them.
std::string filled(std::string_view pattern, const Parts& parts);
std::string joined(const Parts& parts, std::string_view between);
Parts labels(std::string_view letter, int64_t count, int64_t first = 1);  // q1, q2, q3

}  // namespace jogak
