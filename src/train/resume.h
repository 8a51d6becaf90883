// Where a run begins: fresh, or at the newest checkpoint of its directory.
#pragma once

#include "train/optimizer.h"
#include "train/options.h"
#include "train/run_directory.h"
#include "train/shards.h"
#include "train/state.h"
#include "train/task.h"
#include "train/together.h"

namespace jogak {

struct RunParts {  // what a checkpoint puts back in order
  ProcessGroup& group;
  const Shards& shards;
  ParamStore& params;
  Optimizer& optimizer;
  Sampler& sampler;
  const RunDirectory* directory;  // null in every process but the first
};

// A checkpoint of another model, of other data, or that is damaged is refused. One written by
// another number of processes is not: its position counts the examples that all of them took. The
// first process reads it, and the others get from it what they need: weights in any case, so that
// all begin with the same. FormatError where a process learns from something else than the first.
TrainState begin_or_resume(RunParts parts, Together& together, const TrainTask& task,
                           const TrainOptions& options);

// Where data can no longer be read: FormatError when it is not what the run's newest checkpoint was
// trained on, which is why.
void ensure_same_inputs(const std::string& run, int64_t newest, const RunInputs& now);

}  // namespace jogak
