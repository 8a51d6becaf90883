#include "base/launched.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace jogak {
namespace {

constexpr int kNotStarted = 127;  // as a shell says it

// Only what may be called between fork and exec in a program with threads.
[[noreturn]] void become(char* const* words, int output, int messages, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // a run saves before it goes
  if (getppid() != parent) _exit(kNotStarted);
  const int nothing = open("/dev/null", O_RDONLY);
  if (dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
      dup2(messages, STDERR_FILENO) < 0)
    _exit(kNotStarted);
  execv(words[0], words);
  _exit(kNotStarted);
}

int opened(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  ensure<IoError>(fd >= 0, path, ": ", std::strerror(errno));
  return fd;
}

}  // namespace

Launched::Launched(const std::vector<std::string>& words, const std::string& output,
                   const std::string& messages) {
  std::vector<std::string> own = words;
  std::vector<char*> list;
  for (std::string& word : own) list.push_back(word.data());
  list.push_back(nullptr);
  const int out = opened(output), err = opened(messages);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(list.data(), out, err, parent);
  const int error = errno;
  close(out), close(err);
  ensure<IoError>(pid_ > 0, words[0], ": ", std::strerror(error));
}

Launched::~Launched() {
  if (ended()) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<int> Launched::ended() {
  if (status_) return status_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

void Launched::ask_to_stop() const {
  if (!status_) kill(pid_, SIGTERM);
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace jogak
