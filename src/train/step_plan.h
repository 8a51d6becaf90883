// What one training step is to do.
#pragma once

#include <cstdint>
#include <span>

#include "data/batch.h"

namespace jogak {

struct StepPlan {
  std::span<const Pick> picks;
  int64_t accumulate = 1;  // micro-batches to cut the picks into; the result does not depend on it
  double rate = 0;
  double clip = 0;  // largest norm of the mean gradient; 0: any
  // Instead of `accumulate`: micro-batches of a step, whose sums have one order for any number of
  // processes (train/tree.h). 0: one process, and no such order.
  int64_t micro_batches = 0;
};

}  // namespace jogak
