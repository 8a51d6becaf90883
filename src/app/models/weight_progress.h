// How far the weights of a model are: a billion of them take seconds to make and to write.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "base/lang.h"
#include "io/tensor_source.h"
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

// Writes a model's tensors into its directory; beyond two seconds a line on stderr, under `title`,
// tells the share that is written.
void write_weights(const std::string& directory, const TensorSources& weights,
                   const std::string& title, Lang lang);

}  // namespace jogak
