// Which elements of each weight a process owns: it alone keeps the optimizer's state of them and
// changes them, and the others get them from it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "group/group.h"
#include "tensor/tensor.h"

namespace jogak {

struct ElementRange {
  int64_t begin = 0, end = 0;
  int64_t count() const { return end - begin; }
};

// Weights make buckets, in the order in which a walk back comes to them: the last weights first. In
// a bucket they lie one behind the other, cut into units; each process owns one stretch of units of
// every bucket, all of nearly the same length, so that each bucket keeps all links busy. A unit's
// squared norm has one order of sums whoever owns it.
inline constexpr int64_t kShardUnit = 1 << 16, kBucketElements = 1 << 21;

struct WeightBucket {
  size_t begin = 0, end = 0;  // weights
};

class Shards {
 public:
  Shards(std::span<const Tensor> weights, int64_t processes);

  ElementRange owned(int64_t process, size_t weight) const {
    return ranges_[static_cast<size_t>(process)][weight];
  }
  std::span<const ElementRange> owned(int64_t process) const {
    return ranges_[static_cast<size_t>(process)];
  }
  size_t weights() const { return ranges_[0].size(); }
  std::span<const WeightBucket> buckets() const { return buckets_; }

 private:
  void divide(std::span<const Tensor> weights, const WeightBucket& bucket, int64_t total);

  std::vector<WeightBucket> buckets_;
  std::vector<std::vector<ElementRange>> ranges_;  // of each process, one for each weight
};

// Elements of a dense tensor as a vector that shares its storage.
Tensor elements(const Tensor& x, ElementRange range);

// Tensors to send and to receive, in one exchange. Where the group reaches GPUs, both sides have
// them there and they go directly; else what is not in the host's memory passes it.
class Parcels {
 public:
  enum class Way { host, shortest };  // host: one side has them in the host's memory in any case
  explicit Parcels(const ProcessGroup& group, Way way = Way::shortest)
      : on_gpus_(way == Way::shortest && group.reaches_gpus()) {}

  void send(int64_t to, const Tensor& x);
  void receive(int64_t from, const Tensor& x);  // its bytes, into a dense tensor
  void exchange(ProcessGroup& group);

  // The same in two: what is to be exchanged, in any thread, and what is to be done when it was.
  std::function<void(ProcessGroup&)> work() const;
  void arrive();

 private:
  bool on_gpus_;
  std::vector<Outgoing> out_;
  std::vector<Incoming> in_;
  std::vector<Tensor> kept_;
  std::vector<std::pair<Tensor, Tensor>> arrived_;  // where to, and what the host has
};

// Every process's own elements of the weights reach all.
void gather_elements(ProcessGroup& group, const Shards& shards, std::span<const Tensor> weights);
// The first process's values reach all.
void share_from_first(ProcessGroup& group, std::span<const Tensor> tensors);

}  // namespace jogak
