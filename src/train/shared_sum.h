// Losses and gradients of a step's micro-batches, added along one tree: the same bits however many
// processes compute them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/function_ref.h"
#include "group/group.h"
#include "train/gradient_buckets.h"
#include "train/shards.h"
#include "train/step_plan.h"
#include "train/task.h"
#include "train/together.h"
#include "train/tree.h"

namespace jogak {

class ParamStore;

class SharedSum {
 public:
  SharedSum(const ParamStore& params, ProcessGroup& group);

  struct Result {
    std::vector<Tensor> grads;   // of each weight, the elements that this process owns
    std::vector<double> losses;  // of each micro-batch
    std::vector<double> norms;   // of each weight's gradient, squared
    int64_t tokens = 0;
  };
  // Each micro-batch draws its own dropout and begins with the buffers as they were, which
  // `restore` puts back; afterwards they hold the mean over all micro-batches.
  Result operator()(const TrainTask& task, const StepPlan& plan, Run& run,
                    FunctionRef<void()> restore);

  // Calls `work` with the run set up for this micro-batch of the plan.
  void with_micro_batch(const StepPlan& plan, int64_t micro, Run& run,
                        FunctionRef<void(std::span<const Pick>)> work) const;

  void gather_weights();  // after each process has changed its own elements

 private:
  using Sums = TreeSum<std::vector<Tensor>>;
  struct Number {
    double loss = 0;
    int64_t tokens = 0;
  };
  struct Own {  // of this process's micro-batches
    Sums buffers;
    std::vector<Number> numbers;  // of all, its own filled in
  };

  Own compute(const TrainTask& task, const StepPlan& plan, Run& run, FunctionRef<void()> restore,
              GradientBuckets& buckets);
  void share_numbers(std::vector<Number>& numbers);
  void mean_buffers(Sums& own, int64_t micro_batches);
  std::vector<double> norms(std::span<const Tensor> grads);

  ProcessGroup& group_;
  Together together_;
  int64_t index_, count_;
  std::vector<Tensor> leaves_, weights_, copies_;
  std::vector<Tensor> buffers_;  // float ones that learn from batches
  Shards shards_;
};

}  // namespace jogak
