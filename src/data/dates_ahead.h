// Which dates come next.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace jogak {

// Goes on as the last dates do, written alike: whole numbers, years, months, days (2031-05-09,
// 2031/5/9), with times to the minute or second. Months are counted as months, the last of a month
// stays the last. Dates that are none of these go on as "+1", "+2", ..
std::vector<std::string> dates_ahead(std::span<const std::string> dates, int64_t count);

}  // namespace jogak
