// Which dates come next.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace jogak {

// Goes on as the dates do, written alike: any form that read_dates reads, by the step most of them
// have, or whole numbers, by the last. Dates that are none of these go on as "+1", "+2", ..
std::vector<std::string> dates_ahead(std::span<const std::string> dates, int64_t count);

}  // namespace jogak
