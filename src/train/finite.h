// Finding the tensor that is not finite, once something is known to be wrong. All of it waits for
// the device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/task.h"

namespace jogak {

std::vector<double> squared_norms(std::span<const Tensor> tensors);  // of each, on the host

// Runs the model once more over the pieces of a step, as the step took them, watching the values it
// shows to a probe. Empty when all of those are finite.
using Picks = std::span<const Pick>;
std::string first_bad_value(const TrainTask& task, std::span<const Picks> pieces, Run& run);

}  // namespace jogak
