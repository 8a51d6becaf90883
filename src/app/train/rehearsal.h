// A training run on a device that only counts: how much memory it will take.
#pragma once

#include "app/train/prediction.h"
#include "app/train/train_job.h"
#include "tensor/counting_device.h"
#include "train/options.h"

namespace jogak {

// `job` was made on `device`. Takes some steps with and without recomputation, validates, and does
// what saving and averaging do; what the job took beside tensors this process has taken already.
TrainPrediction rehearse(const TrainJob& job, const TrainOptions& options, CountingDevice& device);

// OutOfMemory where that is more than there is: both numbers, and what would help.
void ensure_fits(const TrainPrediction& prediction);

}  // namespace jogak
