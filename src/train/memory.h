// How much memory a run will take, before it runs.
#pragma once

#include <cstddef>
#include <functional>

#include "tensor/counting_device.h"

namespace jogak {

size_t resident_bytes();       // of this process, now
size_t peak_resident_bytes();  // and the most it ever had

struct PredictedPeak {
  size_t tensors = 0;  // what the caching allocator will hold of the system's memory
  size_t process = 0;  // what this process has already, and what kernels and threads will add
  size_t total() const { return tensors + process; }
};

// Runs `work` on a device that has no memory and counts. It must do what the real run does, from
// building the model to at least two steps, with every tensor on the given device, and leave none
// behind. Values read back from it are zeros.
PredictedPeak predict_peak(const std::function<void(CountingDevice&)>& work);

}  // namespace jogak
