// One command in several processes: how they are asked for, started, and meet.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace jogak {

class ProcessGroup;

struct ProcessRequest {   // as the command line says it
  int64_t processes = 0;  // 0: not said
  int64_t process = 0;    // started by hand: which one, from 1
  std::string first;      // started by hand: HOST:PORT of the first
};

// Whether this process is to start the others and wait for them; see group/launch.h.
bool starts_processes(const ProcessRequest& request);
int start_processes(const ProcessRequest& request, const std::atomic<bool>& stop,
                    const std::function<int()>& signal);

// Waits for the others, which must be the same program and have the same `facts`: UsageError that
// names what is different. Null: it is alone.
using ProcessFacts = std::vector<std::pair<std::string, std::string>>;
std::shared_ptr<ProcessGroup> join_processes(const ProcessRequest& request, ProcessFacts facts,
                                             const std::atomic<bool>* stop);

}  // namespace jogak
