// How much memory a training run will take.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace jogak {

// Without training; megabytes, of the memory of the device that trains. The last two peaks with
// every block recomputed and with none, whatever the recipe says; `free_mb` is what this process
// may have there in all.
struct TrainPrediction {
  int64_t parameters = 0, tokens_per_step = 0;
  int64_t processes = 1;  // the figures are of the first of them, which takes most
  bool recompute = false, on_gpu = false;
  double tensors_mb = 0, predicted_peak_mb = 0, recomputed_peak_mb = 0, kept_peak_mb = 0;
  double free_mb = 0;
  bool fits() const { return predicted_peak_mb <= free_mb; }
};
// {"schema","parameters","tokens_per_step","recompute","tensors_mb","predicted_peak_mb",
// "free_mb","recomputed_peak_mb","kept_peak_mb"}
Json to_json(const TrainPrediction& prediction);

}  // namespace jogak
