#include "tests/train/syscall_trace.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <stdexcept>

namespace jogak::test {
namespace {

constexpr int kMark = SIGUSR2;
constexpr int kNotPermitted = 99, kWorkFailed = 98;
constexpr int kSyscallStop = SIGTRAP | 0x80;  // by PTRACE_O_TRACESYSGOOD

[[noreturn]] void be_traced(const std::function<void()>& work) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kNotPermitted);
  ::raise(SIGSTOP);
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "traced work: %s\n", error.what());
    ::_exit(kWorkFailed);
  }
  ::_exit(0);  // no handlers of the parent's, no leak check that tracing disturbs
}

std::string memory_of(pid_t process, uint64_t address, size_t bytes) {
  std::string out(bytes, '\0');
  iovec here{out.data(), bytes}, there{reinterpret_cast<void*>(address), bytes};
  if (bytes > 0 &&
      ::process_vm_readv(process, &here, 1, &there, 1, 0) != static_cast<ssize_t>(bytes))
    throw std::runtime_error("reading the memory of a traced process failed");
  return out;
}

std::string text_at(pid_t process, uint64_t address) {
  std::string out;
  for (size_t end = std::string::npos; end == std::string::npos; address += 64 - address % 64) {
    out += memory_of(process, address, 64 - address % 64);  // within a page, whatever follows it
    end = out.find('\0');
  }
  return out.substr(0, out.find('\0'));
}

// Makes a list of DiskCall of numbers and registers.
class Reader {
 public:
  Reader(pid_t process, std::vector<DiskCall>& calls) : process_(process), calls_(calls) {}

  void entry(const __ptrace_syscall_info& info) {
    number_ = static_cast<long>(info.entry.nr);
    for (int i = 0; i < 6; ++i) args_[i] = info.entry.args[i];
    switch (number_) {  // before the call: afterwards the memory may have changed
#ifdef SYS_open
      case SYS_open:
      case SYS_mkdir:
      case SYS_unlink:
      case SYS_rmdir: path_ = text_at(process_, args_[0]); break;
      case SYS_rename:
        path_ = text_at(process_, args_[0]), to_ = text_at(process_, args_[1]);
        break;
#endif
      case SYS_openat:
      case SYS_mkdirat:
      case SYS_unlinkat: path_ = at(args_[0], args_[1]); break;
      case SYS_renameat:
      case SYS_renameat2: path_ = at(args_[0], args_[1]), to_ = at(args_[2], args_[3]); break;
      case SYS_write: bytes_ = memory_of(process_, args_[1], args_[2]); break;
      default: break;
    }
  }

  void exit(const __ptrace_syscall_info& info) {
    const int64_t result = info.exit.rval;
    if (result < 0) return;
    switch (number_) {
#ifdef SYS_open
      case SYS_open: opened(result, args_[1]); break;
      case SYS_mkdir: calls_.push_back({DiskCall::make_directory, path_}); break;
      case SYS_unlink:
      case SYS_rmdir: calls_.push_back({DiskCall::remove, path_}); break;
      case SYS_rename: calls_.push_back({DiskCall::rename, path_, to_}); break;
#endif
      case SYS_openat: opened(result, args_[2]); break;
      case SYS_mkdirat: calls_.push_back({DiskCall::make_directory, path_}); break;
      case SYS_unlinkat: calls_.push_back({DiskCall::remove, path_}); break;
      case SYS_renameat: calls_.push_back({DiskCall::rename, path_, to_}); break;
      case SYS_renameat2:
        calls_.push_back({args_[4] & 2 ? DiskCall::exchange : DiskCall::rename, path_, to_});
        break;
      case SYS_write:
        if (known(args_[0]))
          calls_.push_back({DiskCall::write, open_[args_[0]], "",
                            bytes_.substr(0, static_cast<size_t>(result))});
        break;
      case SYS_fsync:
      case SYS_fdatasync:
        if (known(args_[0])) calls_.push_back({DiskCall::sync, open_[args_[0]]});
        break;
      case SYS_close: open_.erase(args_[0]); break;
      default: break;
    }
  }

 private:
  bool known(uint64_t fd) const { return open_.count(fd) > 0; }

  void opened(int64_t fd, uint64_t flags) {
    open_[static_cast<uint64_t>(fd)] = path_;
    if (flags & O_CREAT) calls_.push_back({DiskCall::create, path_});
  }

  std::string at(uint64_t directory, uint64_t name) {
    const std::string path = text_at(process_, name);
    return path.starts_with("/") || !known(directory) ? path : open_[directory] + "/" + path;
  }

  pid_t process_;
  std::vector<DiskCall>& calls_;
  std::map<uint64_t, std::string> open_;  // paths of descriptors
  long number_ = -1;
  uint64_t args_[6] = {};
  std::string path_, to_, bytes_;
};

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, __WALL) < 0)
    if (errno != EINTR) throw std::runtime_error("waiting for a traced process failed");
  return status;
}

void go_to_mark(pid_t process) {
  int status = 0;
  do {
    ::ptrace(PTRACE_CONT, process, nullptr, nullptr);
    status = wait_for(process);
    if (!WIFSTOPPED(status)) throw std::runtime_error("the traced work came to no mark");
  } while (WSTOPSIG(status) != kMark);
}

void end(pid_t process) {
  ::kill(process, SIGKILL);
  if (const int status = wait_for(process); !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
    throw std::runtime_error("a traced process did not die");
}

struct NotPermitted {};

void follow(pid_t process, int kill_at, Trace& out) {
  Reader reader(process, out.calls);
  while (true) {
    ::ptrace(PTRACE_SYSCALL, process, nullptr, nullptr);
    const int status = wait_for(process);
    if (!WIFSTOPPED(status)) throw std::runtime_error("the traced work ended before its mark");
    if (WSTOPSIG(status) == kMark) return end(process);
    if (WSTOPSIG(status) != kSyscallStop) continue;  // somebody else's signal
    __ptrace_syscall_info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof info, &info) <= 0) {
      end(process);
      throw NotPermitted();  // an old kernel
    }
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) reader.entry(info);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) reader.exit(info);
    if (++out.stops == kill_at) {
      out.killed = true;
      return end(process);
    }
  }
}

}  // namespace

void trace_mark() { ::raise(kMark); }

std::optional<Trace> trace(const std::function<void()>& work, int kill_at) {
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error("fork failed");
  if (process == 0) be_traced(work);
  const int status = wait_for(process);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotPermitted) return std::nullopt;
  if (!WIFSTOPPED(status)) throw std::runtime_error("the traced work did not begin");
  ::ptrace(PTRACE_SETOPTIONS, process, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  go_to_mark(process);
  Trace out;
  try {
    follow(process, kill_at, out);
  } catch (const NotPermitted&) {
    return std::nullopt;
  }
  return out;
}

}  // namespace jogak::test
