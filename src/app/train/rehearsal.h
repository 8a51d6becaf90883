// A training run on a device that only counts: how much memory it will take.
#pragma once

#include <optional>

#include "app/train/prediction.h"
#include "app/train/train_job.h"
#include "group/group.h"
#include "tensor/counting_device.h"
#include "train/options.h"

namespace jogak {

// A member of a group whose others are not there: nothing is exchanged, memory is counted.
class CountedGroup final : public ProcessGroup {
 public:
  explicit CountedGroup(Processes self) : self_(self) {}
  Processes processes() const override { return self_; }
  int64_t on_this_machine() const override { return 1; }
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}

 private:
  Processes self_;
};

// `job` was made on `device` and will train on `there`. Takes some steps with and without
// recomputation, validates, and does what saving and averaging do; on a CPU, what the job took
// beside tensors this process has taken already. Of options.group it is this process's share; those
// on one machine have its memory in equal parts.
TrainPrediction rehearse(const TrainJob& job, const TrainOptions& options, CountingDevice& device,
                         const Device& there);

// The largest half, quarter, .. of the batch that fits, and what it takes; {0, 0}: none does.
struct SmallerBatch {
  int64_t batch = 0;
  double peak_mb = 0;
};
SmallerBatch batch_that_fits(const TrainJob& job, TrainOptions options, CountingDevice& device,
                             const Device& there);

// OutOfMemory: what the run would take, what there is, and what would help. `in_bf16` is the same
// run with --dtype bf16, where it is another one.
[[noreturn]] void refuse_size(const TrainPrediction& prediction, const SmallerBatch& smaller,
                              const std::optional<TrainPrediction>& in_bf16);

}  // namespace jogak
