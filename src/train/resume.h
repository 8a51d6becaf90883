// Where a run begins: fresh, or at the newest checkpoint of its directory.
#pragma once

#include "train/checkpoint.h"
#include "train/run_directory.h"
#include "train/trainer.h"

namespace jogak {

struct RunParts {  // what a checkpoint puts back in order
  ParamStore& params;
  Optimizer& optimizer;
  Sampler& sampler;
  GradientReducer& reducer;
  const RunDirectory& directory;
};

// A checkpoint of another model, of other data, or that is damaged is refused.
TrainState begin_or_resume(RunParts parts, const TrainTask& task, const TrainOptions& options);

}  // namespace jogak
