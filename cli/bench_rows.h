// What the rows of a benchmark's table are called.
#pragma once

#include <string>

#include "base/lang.h"

namespace jogak {

// In English the key of the JSON, which scripts know; in Korean words for it.
std::string bench_row(const std::string& key, Lang lang);

}  // namespace jogak
