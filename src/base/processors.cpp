#include "base/processors.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace jogak {

int processor_count() {
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof own, &own) == 0) return std::max(CPU_COUNT(&own), 1);
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

}  // namespace jogak
