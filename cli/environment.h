// What a command is given beside its words: checked before anything is done.
#pragma once

#include <string>
#include <vector>

namespace jogak::cli {

// UsageError for words that are not UTF-8, an instruction set that nobody knows, and a number of
// threads that is none.
void check_environment(const std::vector<std::string>& arguments);

// More threads than a machine has processors do not help; many more cannot be made. One line says
// so, whether --threads asked for them or OMP_NUM_THREADS.
void bound_threads();

}  // namespace jogak::cli
