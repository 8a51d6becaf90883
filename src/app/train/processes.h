// One training run in several processes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "app/train/train_request.h"

namespace jogak {

struct ProcessRequest {   // as the command line says it
  int64_t processes = 0;  // 0: not said
  int64_t process = 0;    // started by hand: which one, from 1
  std::string first;      // started by hand: HOST:PORT of the first
};

// Whether this process is to start the others and wait for them; see group/launch.h.
bool starts_processes(const ProcessRequest& request);
int start_processes(const ProcessRequest& request, const std::atomic<bool>& stop,
                    const std::function<int()>& signal);

struct Joined {
  std::shared_ptr<ProcessGroup> group;  // null: it trains alone
  bool first = true;                    // which shows results
};
// Waits for the others and makes `training` this process's part of the run. UsageError where one
// of them is another program or has another recipe.
Joined join_processes(const ProcessRequest& request, TrainRequest& training);

// Where several processes are to take the steps of a recipe that does not say how steps are cut:
// in 8 micro-batches, or more where there are more processes or the recipe accumulates more.
void cut_steps(Recipe& recipe, int64_t processes);

}  // namespace jogak
