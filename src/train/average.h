// The mean of several checkpoints' weights: often better than the last alone.
#pragma once

#include <string>
#include <vector>

#include "nn/params.h"

namespace jogak {

// Every weight becomes its mean over the checkpoints, which are verified first; sums in double.
void average_checkpoints(ParamStore& params, const std::vector<std::string>& directories);

}  // namespace jogak
