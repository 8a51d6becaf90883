#include "tests/cli/process.h"
#include "tests/support/places.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace jogak {
namespace {

constexpr int kPatience = 20'000;  // milliseconds

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    read = ends[0], write = ends[1];
  }
};

[[noreturn]] void become(const Arguments& arguments, const Call& call) {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "NO_COLOR", "COLUMNS", "JOGAK_DATA"})
    ::unsetenv(name);
  ::setenv("LANG", "C", 1);
  ::setenv("OMP_NUM_THREADS", "2", 1);
  for (const auto& [name, value] : call.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (!call.directory.empty() && ::chdir(call.directory.c_str()) != 0) ::_exit(126);
  if (!call.out_to.empty()) {
    const int file = ::open(call.out_to.c_str(), O_WRONLY);
    if (file < 0) ::_exit(126);
    ::dup2(file, STDOUT_FILENO);
  }
  std::vector<char*> words;
  std::string program = program_path();
  words.push_back(program.data());
  Arguments copy = arguments;
  for (std::string& word : copy) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  ::_exit(127);
}

void shut(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

int exit_code(int process, int64_t* peak = nullptr) {
  int status = 0;
  rusage used{};
  while (::wait4(process, &status, 0, &used) < 0 && errno == EINTR) continue;
  if (peak) *peak = int64_t{used.ru_maxrss} << 10;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// One read; false at the end of what the other side writes.
bool read_some(int fd, std::string& to) {
  char bytes[1 << 16];
  const ssize_t n = ::read(fd, bytes, sizeof bytes);
  if (n > 0) to.append(bytes, static_cast<size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

bool ready(int fd) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, kPatience) > 0;
}

std::string take_line(int fd, std::string& held) {
  while (held.find('\n') == std::string::npos) {
    if (!ready(fd)) throw std::runtime_error("no line came in time, so far: " + held);
    if (!read_some(fd, held)) break;
  }
  const size_t end = std::min(held.find('\n'), held.size());
  const std::string line = held.substr(0, end);
  held.erase(0, end + 1);
  return line;
}

}  // namespace

Running::Running(const Arguments& arguments, const Call& call) {
  ::signal(SIGPIPE, SIG_IGN);  // a program that ends early closes the pipe we write to
  Pipe in, out, err;
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("fork failed");
  if (process_ == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(in.read, STDIN_FILENO);
    ::dup2(out.write, STDOUT_FILENO);
    ::dup2(err.write, STDERR_FILENO);
    become(arguments, call);
  }
  ::close(in.read), ::close(out.write), ::close(err.write);
  input_ = in.write, output_ = out.read, error_ = err.read;
}

Running::~Running() {
  shut(input_), shut(output_), shut(error_);
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  exit_code(process_);
}

void Running::write(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(input_, text.data() + at, text.size() - at);
    if (n <= 0) return;
    at += static_cast<size_t>(n);
  }
}

void Running::close_input() { shut(input_); }
void Running::close_output() { shut(output_); }
void Running::signal(int number) { ::kill(process_, number); }
bool Running::alive() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}
std::string Running::read_line() { return take_line(output_, held_out_); }
std::string Running::read_error_line() { return take_line(error_, held_err_); }

Result Running::finish() {
  close_input();
  Result result;
  result.out = std::move(held_out_), result.err = std::move(held_err_);
  while (output_ >= 0 || error_ >= 0) {
    pollfd both[2] = {{output_, POLLIN, 0}, {error_, POLLIN, 0}};
    if (::poll(both, 2, 120'000) <= 0) throw std::runtime_error("the program does not end");
    if (both[0].revents && !read_some(output_, result.out)) shut(output_);
    if (both[1].revents && !read_some(error_, result.err)) shut(error_);
  }
  result.code = exit_code(std::exchange(process_, -1), &result.peak);
  return result;
}

Result jogak(const Arguments& arguments, const Call& call) {
  Running run(arguments, call);
  run.write(call.input);
  return run.finish();
}

std::string jogak_on_terminal(const Arguments& arguments, const Call& call) {
  int terminal = -1;
  const int process = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (process < 0) throw std::runtime_error("forkpty failed");
  if (process == 0) become(arguments, call);
  std::string out;
  while (ready(terminal) && read_some(terminal, out)) continue;
  ::close(terminal);
  EXPECT_EQ(exit_code(process), 0) << out;
  return out;
}

}  // namespace jogak
