#include "cli/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/mapped_place.h"
#include "base/stop.h"

namespace jogak::cli {
namespace {

// Lock-free, so a signal handler may write them.
std::atomic<int> which{0};
static_assert(std::atomic<int>::is_always_lock_free);
int wake[2] = {-1, -1};  // a pipe: the handler writes, the thread that waits for it reads

// Work that looks at the flag ends by itself, and says what was done. Everything else ends here, in
// less than a second after the signal, wherever it is.
void end_what_goes_on() {
  using std::chrono::milliseconds;
  constexpr int kPatience = 12;  // of 50 ms
  char byte = 0;
  while (::read(wake[0], &byte, 1) < 0 && errno == EINTR) continue;
  for (int waited = 0; waited < kPatience || !remove_unfinished();
       waited = ends_itself() ? 0 : waited + 1)
    std::this_thread::sleep_for(milliseconds(50));
  detail::write_log_line("jogak: ", "stopped");
  ::_exit(stop_exit_code());
}

// Signals are for the main thread: what waits for input there must notice.
void start_watching() {
  if (::pipe2(wake, O_CLOEXEC) != 0) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(end_what_goes_on).detach();
  } catch (const std::system_error&) {  // then a second signal ends the program
    for (int& end : wake) ::close(std::exchange(end, -1));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

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
  const int before = errno;
  if (stop_asked().load() && (number == SIGINT || wake[1] < 0)) {
    ::signal(number, SIG_DFL);
    ::raise(number);  // comes once this handler is left
    return;
  }
  int none = 0;
  which.compare_exchange_strong(none, number);
  if (!stop_asked().exchange(true) && wake[1] >= 0) {
    const ssize_t written = ::write(wake[1], "s", 1);
    static_cast<void>(written);
  }
  errno = before;
}

}  // namespace

void handle_signals() {
  stop_asked();  // made here, not in a handler
  start_watching();
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

const std::atomic<bool>& stop_flag() { return stop_asked(); }

int stop_exit_code() { return which.load() == SIGTERM ? 75 : 130; }

}  // namespace jogak::cli
