// Numbers of all processes, added.
#pragma once

#include <span>

#include "group/group.h"

namespace jogak {

// Each process has as many; afterwards all have the sums, element by element in the order of the
// processes: the same bits everywhere.
void add_over(ProcessGroup& group, std::span<float> values);

}  // namespace jogak
