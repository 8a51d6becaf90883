// A whole step as one piece of work that the device keeps: the host, which would send hundreds of
// kernels, sends one. Where a device records nothing there is none.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/function_ref.h"
#include "tensor/device.h"
#include "train/task.h"

namespace jogak {

class RecordedStep {
 public:
  // Sends a step of these batches to the device. What it gives back arrives at each start.
  using Work = FunctionRef<std::unique_ptr<Arriving>(std::span<const BatchLoss> batches)>;

  explicit RecordedStep(Device& device);

  // Whether steps of so many batches may become recorded ones. If not, there is no need to have
  // them all at hand.
  bool possible(size_t batches, const Run& run) const;
  // Whether the step of these is recorded. After three steps of the same shapes the fourth is, if
  // there is memory for it beside everything else: the same bits as kernel by kernel.
  bool ready(std::span<const BatchLoss> batches, Run& run, Work work);
  // Starts it, where it is ready. Here is what arrives, until the next start.
  std::shared_ptr<Arriving> start(std::span<const BatchLoss> batches, const Run& run);

 private:
  using Inputs = std::vector<std::vector<Tensor>>;  // of each batch
  void record(std::span<const BatchLoss> batches, Run& run, Work work);
  bool has_memory() const;

  Device& device_;
  Inputs last_;            // of the last step: their shapes
  int alike_ = 0;          // steps in a row that had them
  bool given_up_ = false;  // what could not be recorded once will not be tried again
  Inputs inputs_;          // of the recorded work, on the device
  uint64_t step_ = 0;      // when it was recorded: dropout's streams count from there
  std::shared_ptr<Arriving> coming_;
  std::unique_ptr<Recorded> work_;
};

}  // namespace jogak
