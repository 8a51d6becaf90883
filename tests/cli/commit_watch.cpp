#include "tests/cli/commit_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>

namespace jogak {

CommitWatch::CommitWatch(const std::string& checkpoints)
    : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (fd_ < 0 || ::inotify_add_watch(fd_, checkpoints.c_str(),
                                     IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) < 0)
    throw std::runtime_error("inotify failed: " + checkpoints);
}

CommitWatch::~CommitWatch() { ::close(fd_); }

int64_t CommitWatch::lap() {
  const auto now = Clock::now();
  const auto taken = std::chrono::duration_cast<std::chrono::microseconds>(now - since_);
  since_ = now;
  return taken.count();
}

void CommitWatch::update(int milliseconds) {
  pollfd one{fd_, POLLIN, 0};
  if (::poll(&one, 1, milliseconds) <= 0) return;
  alignas(inotify_event) char bytes[1 << 16];
  for (ssize_t n; (n = ::read(fd_, bytes, sizeof bytes)) > 0;)
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(bytes + at);
      at += static_cast<ssize_t>(sizeof *event + event->len);
      const std::string name = event->len > 0 ? event->name : "";
      if ((event->mask & IN_CREATE) && name.starts_with(".tmp-")) {
        being_written_ = name;
        gaps_.push_back(lap());
      } else if ((event->mask & (IN_MOVED_FROM | IN_DELETE)) && name == being_written_) {
        being_written_.clear();
        if (event->mask & IN_MOVED_FROM) writes_.push_back(lap());
      } else if ((event->mask & IN_MOVED_TO) && name.starts_with("step-")) {
        newest_ = std::stoll(name.substr(5));
      }
    }
}

}  // namespace jogak
