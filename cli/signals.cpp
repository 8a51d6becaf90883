#include "cli/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace jogak::cli {
namespace {

// Lock-free, so a signal handler may write them.
std::atomic<bool> stop{false};
std::atomic<int> which{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int number) {
  int none = 0;
  which.compare_exchange_strong(none, number);
  stop.store(true);
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  // No SA_RESTART: a read that waits for the keyboard must notice. RESETHAND: the second signal
  // does what it always does.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigemptyset(&ignored.sa_mask);
  sigaction(SIGPIPE, &ignored, nullptr);
}

void open_standard_files() {
  // Read-only: results for a closed standard output are an error, not silence.
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) return;
}

const std::atomic<bool>& stop_flag() { return stop; }

int stop_exit_code() { return which.load() == SIGTERM ? 75 : 130; }

}  // namespace jogak::cli
