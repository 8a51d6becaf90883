// What a training tells while it runs. A report that throws ends the training.
#pragma once

#include <cstdint>
#include <functional>

namespace jogak {

struct TrainProgress {
  const char* stage;    // "counting words" or "characters", "merging", "reading", "learning"
  int64_t done, total;  // texts, tokens of the vocabulary or seconds; a total of 0 is not known
};
using TrainReport = std::function<void(const TrainProgress&)>;

}  // namespace jogak
