// Training: steps, validation, checkpoints, metrics; the same run whether or not it was stopped
// and resumed on the way.
#pragma once

#include "nn/params.h"
#include "train/options.h"
#include "train/task.h"

namespace jogak {

// The run directory gets the best model by validation (without validation: the newest) through
// task.save_model, checkpoints, metrics.jsonl and TensorBoard events. Ten skipped steps in a row
// are an Error, with a checkpoint saved before. A directory with checkpoints is refused unless
// resume is set.
//
// With several processes each calls this with its own member of a group. The first alone owns the
// directory, reads and writes checkpoints and validates. All take the same steps, stop after the
// same one, and end when one of them fails; the weights are those of one process, to the bit.
TrainResult train(ParamStore& params, const TrainTask& task, const TrainOptions& options);

}  // namespace jogak
