// The optimizer's state between its owners and a checkpoint, which holds it whole.
#pragma once

#include "train/optimizer.h"

namespace jogak {

// Whole in the first process, empty in the others.
NamedTensors gather_state(ProcessGroup& group, const Shards& shards, const Optimizer& optimizer);
// From the first process's file (null in the others), which Optimizer::check has seen.
void scatter_state(ProcessGroup& group, const Shards& shards, const Optimizer& optimizer,
                   const SafetensorsFile* file);

}  // namespace jogak
