// Memory: what this process has, and what it may still take.
#pragma once

#include <cstddef>

namespace jogak {

size_t resident_bytes();       // of this process, now
size_t peak_resident_bytes();  // and the most it ever had

// What may be taken before the system, the process's group (cgroup) or a limit on its address space
// (ulimit -v) has no more. The most there is where nobody says.
size_t free_memory();

void return_unused_memory();  // what was freed but kept for later goes back to the system

}  // namespace jogak
