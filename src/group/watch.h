// Tells which process of a group is gone. A thread of its own sends a beat to every other process
// twice a second, whatever the main thread computes, and listens to theirs.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/processes.h"
#include "group/meet.h"

namespace jogak {

struct WatchTimes {
  std::chrono::milliseconds beat{500}, silence{6000};  // lost after that much silence
};

class Watch {
 public:
  // Control connections must be open; `members` outlives the watch.
  Watch(Processes self, std::vector<Member>& members, WatchTimes times = {});
  // Says goodbye; in the course of an exception, that this process failed.
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // ProcessLost naming the process that is gone; Error where one failed and told so.
  void check();
  // A connection to this process broke: waits until the watch knows who is gone, which may be
  // another, and throws.
  [[noreturn]] void explain(int64_t process);

 private:
  struct Peer {
    int64_t index = 0;
    int fd = -1;
    std::string said;  // bytes not understood yet
    std::chrono::steady_clock::time_point heard;
    bool left = false;  // as it should
  };
  void run();
  void listen(Peer& peer);
  void understand(Peer& peer);
  void lose(const std::string& why, bool failed);
  void send_to_all(const std::string& message);

  Processes self_;
  std::vector<Member>& members_;
  WatchTimes times_;
  std::vector<Peer> peers_;
  std::mutex mutex_;
  std::string lost_;  // why the work cannot go on
  bool failed_ = false;
  int wake_[2] = {-1, -1};
  std::thread thread_;
};

}  // namespace jogak
