// A training run as it is asked for.
#pragma once

#include <atomic>
#include <string>

#include "app/train/recipe.h"
#include "base/lang.h"

namespace jogak {

class ProcessGroup;

struct TrainRequest {
  Recipe recipe = {};
  std::string out = {};         // the run's directory
  bool resume = false;          // go on from its newest checkpoint
  bool overwrite = false;       // what is there, once the new run has ended
  bool accept_changes = false;  // resume although the data or what shapes it is not what it was
  bool force = false;           // try although there seems to be too little memory
  const std::atomic<bool>* stop = nullptr;
  ProcessGroup* group = nullptr;  // this process's member of it; null: it trains alone
  Lang lang = Lang::en;
  bool quiet = false;  // no lines about what is being done

  std::string resumed() const { return resume ? out : ""; }  // whose files the run goes on with
};

}  // namespace jogak
