// Ctrl-C and SIGTERM ask the running work to stop; it ends in order, and work that does not look is
// ended in less than a second. A second Ctrl-C ends the program at once; a second SIGTERM changes
// nothing: schedulers send several.
#pragma once

#include <atomic>

namespace jogak::cli {

// Also makes SIGPIPE and SIGXFSZ harmless: the write that met them is an error, told as one.
void handle_signals();
// A standard file that the caller closed is opened on nothing: otherwise the next file opened
// would take its number, and messages would go into it.
void open_standard_files();
const std::atomic<bool>& stop_flag();  // set by the first signal; whoever asks for it looks at it
int stop_exit_code();                  // 130 after Ctrl-C, 75 after SIGTERM

}  // namespace jogak::cli
