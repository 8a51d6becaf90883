// One training run in several processes.
#pragma once

#include <memory>

#include "app/models/launching.h"
#include "app/train/train_request.h"

namespace jogak {

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
