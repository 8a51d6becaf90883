// The machine's processors.
#pragma once

namespace jogak {

int processor_count();  // that this process may use

// What OMP_NUM_THREADS asks for; 0 where it says nothing, UsageError where it is no number.
int asked_threads();

}  // namespace jogak
