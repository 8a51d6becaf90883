// Gradients on their way to the processes that own them. A bucket of weights leaves as soon as the
// last of this process's micro-batches has walked back to it, while the walk goes on to the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "group/background.h"
#include "train/shards.h"
#include "train/tree.h"

namespace jogak {

// Of one step. Until finish() or give_up() has returned nobody else uses the group.
class GradientBuckets {
 public:
  GradientBuckets(ProcessGroup& group, const Shards& shards, std::span<const Tensor> leaves,
                  int64_t micro_batches);

  // Of this process's micro-batches in their order, and of each every weight, in any order.
  void add(int64_t micro, size_t weight, Tensor gradient);
  // Of each weight the elements that this process owns, added over all micro-batches.
  std::vector<Tensor> finish();
  // This process cannot go on: what the others wait for reaches them, as zeros where it was not
  // computed, and nobody is to use the sums.
  void give_up();

 private:
  using Sums = TreeSum<Tensor>;
  struct Arrival {
    int64_t process;
    TreeNode node;
    Tensor values;
  };

  void leave(const WeightBucket& bucket);
  void leave_ready();
  Tensor sum_of(size_t weight);

  ProcessGroup& group_;
  const Shards& shards_;
  std::span<const Tensor> leaves_;
  int64_t micro_batches_, index_, count_, last_;
  std::vector<Sums> own_;                      // of each weight
  std::vector<bool> done_;                     // of each weight
  std::vector<std::vector<Arrival>> arrived_;  // of each weight, from the others in order
  size_t left_ = 0;                            // buckets
  std::vector<Parcels> parcels_;               // of those that left
  BackgroundExchange exchange_;
};

}  // namespace jogak
