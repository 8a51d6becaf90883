// Starts this program several times on this machine, as the processes of one group.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/processes.h"

namespace jogak {

struct LaunchRequest {
  int64_t processes = 2;
  int threads = 0;  // of each, where OMP_NUM_THREADS does not say; 0: as many as it likes
  const std::atomic<bool>* stop = nullptr;
  std::function<int()> signal = {};  // that asked to stop, to be passed on
};

// The same command again, `processes` times. Returns when all have ended: 0, or the exit code that
// says most: a process's own failure before 75, which those give that were left alone. A process
// that does not end by itself after another one failed is ended; none stays behind.
int launch_processes(const LaunchRequest& request);

// What a process that was started so finds in its environment (and takes out of it).
struct Launched {
  Processes self;
  std::string key;
  int port = 0;
  int listener = -1;  // in the first: the socket the others come to
};
bool was_launched();
int64_t launched_index();  // of it; afterwards it is still there
Launched take_launched();

}  // namespace jogak
