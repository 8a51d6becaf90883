// How far the weights of a new model are: a billion of them take seconds.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "tensor/device.h"

namespace jogak {

// While it is alive, a line on stderr tells the share that is made, by the memory they take. Models
// of a few million weights have none: they are there at once.
class WeightProgress {
 public:
  WeightProgress(Device& device, int64_t weights);
  ~WeightProgress();
  WeightProgress(const WeightProgress&) = delete;
  WeightProgress& operator=(const WeightProgress&) = delete;

 private:
  void tell(int64_t weights, size_t before);

  Device& device_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool made_ = false;
  std::thread watch_;
};

}  // namespace jogak
