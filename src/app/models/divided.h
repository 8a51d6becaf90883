// A model that does not fit one memory: its layers divided among processes (nn/split.h) that all
// run the same command on the same inputs, and of which the first alone shows and writes results.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/models/launching.h"
#include "nn/split.h"

namespace jogak {

// While one lives, models that are opened are divided among the processes that the request asks
// for, or that mpirun or srun started; alone nothing changes.
class Division {
 public:
  // Waits for the others, which run the same command. Standard input and output are the first's.
  Division(const ProcessRequest& request, const std::atomic<bool>* stop);
  ~Division();
  Division(const Division&) = delete;
  Division& operator=(const Division&) = delete;

  bool first() const;
  std::vector<std::string> from_first(std::vector<std::string> texts) const;

 private:
  std::shared_ptr<ProcessGroup> group_;  // null: alone
};

std::shared_ptr<const LayerSplit> model_split();  // null: models are opened whole

}  // namespace jogak
