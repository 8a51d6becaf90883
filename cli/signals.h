// Ctrl-C and SIGTERM ask the running work to stop; it ends in order. A second one ends the
// program at once.
#pragma once

#include <atomic>

namespace jogak::cli {

void handle_signals();  // also makes SIGPIPE harmless
// A standard file that the caller closed is opened on nothing: otherwise the next file opened
// would take its number, and messages would go into it.
void open_standard_files();
const std::atomic<bool>& stop_flag();  // set by the first of the two
int stop_exit_code();                  // 130 after Ctrl-C, 75 after SIGTERM

}  // namespace jogak::cli
