// Which processors each of several processes on one machine computes on.
#pragma once

#include <cstdint>
#include <vector>

namespace jogak {

struct Processor {
  int number = 0, package = 0, core = 0;  // processors of one core share its units
};

// A stretch of `all` for each process, in the order of cores: none moves to another's caches, and
// two share a core only where there are more processes than cores. Empty: more processes than
// processors, which the system had better place itself.
std::vector<std::vector<int>> processors_of(std::vector<Processor> all, int64_t processes);

std::vector<Processor> own_processors();           // that this process may run on
void stay_on(const std::vector<int>& processors);  // this process; safe between fork and exec

}  // namespace jogak
