#include "base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <string_view>

#include "base/error.h"

namespace jogak {
namespace {

enum class Record : uint64_t { number, result, error };

struct Head {  // opens every message; a number has no bytes behind it
  Record kind;
  uint64_t value;  // the number, or how many bytes follow
};

void send(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = write(fd, bytes.data(), bytes.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) _exit(1);  // nobody listens any more
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void send(int fd, Record kind, uint64_t value, std::string_view bytes = {}) {
  const Head head{kind, value};
  send(fd, {reinterpret_cast<const char*>(&head), sizeof head});
  send(fd, bytes);
}

[[noreturn]] void be_child(int fd, pid_t parent, const ChildWork& job) {
  // The parent decides when to stop; should it be killed, this process goes too.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) signal(number, SIG_IGN);
  try {
    const std::string result =
        job.work([&](int64_t number) { send(fd, Record::number, static_cast<uint64_t>(number)); });
    send(fd, Record::result, result.size(), result);
  } catch (const std::exception& error) {
    send(fd, Record::error, std::strlen(error.what()), error.what());
  }
  _exit(0);  // no destructors: what they would put away belongs to the parent
}

class Child {
 public:
  explicit Child(const ChildWork& job) {
    int ends[2];
    ensure<IoError>(pipe2(ends, O_CLOEXEC) == 0, "pipe: ", std::strerror(errno));
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      be_child(ends[1], parent, job);
    }
    const int error = errno;
    close(ends[1]);
    fd_ = ends[0];
    if (pid_ < 0) {
      close(fd_);
      fail<IoError>("a process of its own: ", std::strerror(error));
    }
  }
  ~Child() {
    close(fd_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits a little for bytes and appends them; false when there will be no more.
  bool read_some(std::string& to) {
    pollfd watched{fd_, POLLIN, 0};
    if (poll(&watched, 1, 100) <= 0) return true;
    char bytes[1 << 16];
    const ssize_t got = read(fd_, bytes, sizeof bytes);
    if (got < 0) return errno == EINTR;
    to.append(bytes, static_cast<size_t>(got));
    return got > 0;
  }
  int wait() {  // its status
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
};

}  // namespace

std::string run_in_child(const ChildWork& job) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kBetween = std::chrono::milliseconds(100);
  Child child(job);
  std::string bytes;
  int64_t reported = -1;
  auto next = Clock::now() + kBetween;
  while (child.read_some(bytes)) {
    Head head;
    size_t done = 0;
    while (bytes.size() - done >= sizeof head) {
      std::memcpy(&head, bytes.data() + done, sizeof head);
      if (head.kind != Record::number) break;
      reported = static_cast<int64_t>(head.value);
      done += sizeof head;
    }
    bytes.erase(0, done);
    if (job.waiting && Clock::now() >= next) {
      job.waiting(reported);
      next = Clock::now() + kBetween;
    }
  }
  const int status = child.wait();
  Head head{};
  if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
  if (bytes.size() < sizeof head || bytes.size() - sizeof head != head.value)
    fail("a process of ours ended before its work was done",
         WIFSIGNALED(status) ? text_of(", by signal ", WTERMSIG(status)) : std::string());
  bytes.erase(0, sizeof head);
  ensure(head.kind == Record::result, bytes);
  return bytes;
}

}  // namespace jogak
