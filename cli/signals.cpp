#include "cli/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "base/log.h"
#include "base/mapped_place.h"

namespace jogak::cli {
namespace {

// Lock-free, so a signal handler may write them.
std::atomic<bool> stop{false};
std::atomic<int> which{0};
std::atomic<bool> obeyed{false};  // the command looks at `stop`
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// A file of weights stays mapped while it is in use. One that is cut short meanwhile has no byte to
// give: the process cannot go on, but it says why.
extern "C" void on_bus_error(int, siginfo_t* info, void*) {
  const MappedPlace at = mapped_place(info->si_addr);
  if (!at.path) {
    signal(SIGBUS, SIG_DFL);  // not ours: the same again, without this handler
    return;
  }
  static std::atomic<bool> told{false};
  while (told.exchange(true)) pause();  // another thread is telling already
  char digits[24];
  char* const end = std::to_chars(digits, digits + sizeof digits, at.byte).ptr;
  for (const std::string_view part :
       {std::string_view("jogak: "), std::string_view(at.path), std::string_view(": byte "),
        std::string_view(digits, static_cast<size_t>(end - digits)),
        std::string_view(": found the end of the file, which was cut short while it was in use\n")})
    detail::write_stderr(part);
  _exit(74);
}

extern "C" void on_signal(int number) {
  if (stop.load() && (number == SIGINT || !obeyed.load())) {
    ::signal(number, SIG_DFL);
    ::raise(number);  // comes once this handler is left
    return;
  }
  int none = 0;
  which.compare_exchange_strong(none, number);
  stop.store(true);
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = 0;  // no SA_RESTART: a read that waits for the keyboard must notice
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction bus {};
  bus.sa_sigaction = on_bus_error;
  bus.sa_flags = SA_SIGINFO;
  sigemptyset(&bus.sa_mask);
  sigaction(SIGBUS, &bus, nullptr);
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigemptyset(&ignored.sa_mask);
  sigaction(SIGPIPE, &ignored, nullptr);
  sigaction(SIGXFSZ, &ignored, nullptr);
}

void open_standard_files() {
  // Read-only: results for a closed standard output are an error, not silence.
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) return;
}

const std::atomic<bool>& stop_flag() {
  obeyed.store(true);
  return stop;
}

int stop_exit_code() { return which.load() == SIGTERM ? 75 : 130; }

}  // namespace jogak::cli
