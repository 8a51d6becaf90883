// Loss and gradients of batches as one piece of work that the device keeps: the host, which would
// send hundreds of kernels a step, sends one. Where a device records nothing there is none.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tensor/device.h"
#include "train/task.h"

namespace jogak {

class RecordedLoss {
 public:
  // Adds the loss to `sum`, gives gradients of `leaves`: the same bits as kernel by kernel.
  RecordedLoss(std::vector<Tensor> leaves, Tensor sum);

  // The gradients, which are overwritten by the next call; empty: this batch is not like those that
  // were recorded, or not yet, and nothing was done. After three batches of the same shapes the
  // fourth is recorded, if there is memory for it beside everything else.
  std::optional<std::vector<Tensor>> operator()(const BatchLoss& batch, Run& run);

 private:
  void record(const BatchLoss& batch, Run& run);
  bool has_memory() const;

  std::vector<Tensor> leaves_;
  Tensor sum_;
  Device& device_;
  std::vector<Tensor> last_;    // inputs of the last batch: its shapes
  int alike_ = 0;               // batches in a row that had them
  bool given_up_ = false;       // what could not be recorded once will not be tried again
  std::vector<Tensor> inputs_;  // of the recorded work, on the device
  std::vector<Tensor> grads_;
  uint64_t step_ = 0;  // when it was recorded: dropout's streams count from there
  std::unique_ptr<Recorded> work_;
};

}  // namespace jogak
