// Which of several processes that do one work together this one is.
#pragma once

#include <cstdint>

namespace jogak {

struct Processes {
  int64_t index = 0, count = 1;
  bool is_first() const { return index == 0; }
};

}  // namespace jogak
