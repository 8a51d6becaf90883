// One training step: losses and gradients of all micro-batches, one update of the weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/optimizer.h"
#include "train/recorded_step.h"
#include "train/shared_sum.h"
#include "train/step_plan.h"
#include "train/task.h"
#include "train/together.h"

namespace jogak {

struct StepResult {
  double loss_sum = 0;  // over all tokens
  int64_t tokens = 0;
  double grad_norm = 0;  // of the mean gradient, before clipping
  std::string bad = {};  // what was not finite, or why nothing could be learned; else empty
  bool updated() const { return bad.empty(); }
  double loss() const { return tokens > 0 ? loss_sum / static_cast<double>(tokens) : 0; }
};

class TrainStep {
 public:
  // The optimizer owns what Shards gives this process of the group.
  TrainStep(const ParamStore& params, Optimizer& optimizer, ProcessGroup& group);

  // Gradients of the summed loss are added over the micro-batches; division by the tokens and
  // clipping are one factor of the optimizer's pass. The device decides it and goes on; the host
  // waits once, for the loss and the norm. When one of them is not finite nothing changes. Stopped
  // and other errors leave weights and buffers as they were, and end the step in every process.
  StepResult operator()(const TrainTask& task, const StepPlan& plan, Run& run);

 private:
  StepResult take(const TrainTask& task, const StepPlan& plan, Run& run);
  StepResult take_together(const TrainTask& task, const StepPlan& plan, Run& run);
  // Whether loss and norm allow an update; else with what to say, and buffers as before.
  bool measured(StepResult& result, double squares, FunctionRef<std::string()> why);
  std::string diagnose_together(const TrainTask& task, const StepPlan& plan, Run& run,
                                const SharedSum::Result& sum);
  // Adds loss and gradients of a batch; how many tokens that were.
  int64_t add(const BatchLoss& batch, Run& run, std::vector<Tensor>& grads);
  // The norm, which arrives with the loss, and the update that the two allow.
  std::unique_ptr<Arriving> finish(const std::vector<Tensor>& grads);
  std::string diagnose(const TrainTask& task, std::span<const std::span<const Pick>> pieces,
                       Run& run, double loss);
  std::string bad_gradient(const std::vector<double>& norms) const;
  std::string first_bad_param();
  void keep_buffers();
  void restore_buffers();

  const ParamStore& params_;
  Optimizer& optimizer_;
  ProcessGroup& group_;
  Together together_;
  SharedSum shared_;
  std::vector<Tensor> leaves_;
  std::vector<std::string> names_;                  // of the leaves
  std::vector<std::pair<Tensor, Tensor>> buffers_;  // and what they held when the step began
  Tensor sums_;                                     // f64 [2]: loss, squared norm
  Tensor norms_;                                    // f64 [leaves]: squared norms
  RecordedStep recorded_;
};

}  // namespace jogak
