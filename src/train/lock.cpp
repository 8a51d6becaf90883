#include "train/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/shortage.h"

namespace jogak {
namespace {

// The holder writes its number right after taking the lock; whoever comes in between waits a bit.
std::string holder(int fd) {
  char text[32] = {};
  for (int attempt = 0; attempt < 50; ++attempt) {
    const ssize_t n = ::pread(fd, text, sizeof text - 1, 0);
    if (n > 0 && text[n - 1] == '\n') return std::string(text, static_cast<size_t>(n - 1));
    ::usleep(2000);
  }
  return "unknown";
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory) {
  // The file stays when the lock goes: removing it would let two processes lock two files.
  const std::string path = join_path(directory, ".lock");
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  const int error = errno;
  ensure<IoError>(fd_ >= 0, path, ": opening failed: ", std::strerror(error));
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    const std::string who = reason == EWOULDBLOCK ? holder(fd_) : "";
    ::close(fd_);
    ensure<IoError>(reason == EWOULDBLOCK, path, ": locking failed: ", std::strerror(reason));
    fail<InUse>(directory, ": another training is running here (process ", who, ")");
  }
  const std::string self = text_of(::getpid(), "\n");
  if (::ftruncate(fd_, 0) != 0 ||
      ::pwrite(fd_, self.data(), self.size(), 0) != static_cast<ssize_t>(self.size())) {
    const int reason = errno;
    ::close(fd_);
    fail<IoError>(path, ": writing failed: ", std::strerror(reason));
  }
}

DirectoryLock::~DirectoryLock() {
  // Nobody must read a number that is no longer training here.
  if (::ftruncate(fd_, 0) != 0) errno = 0;
  ::close(fd_);
}

}  // namespace jogak
