#include "train/gradient_buckets.h"

#include <algorithm>
#include <utility>

namespace jogak {
namespace {

void add_tensor(Tensor& left, Tensor& right) {
  if (left.count() > 0) accumulate(left, right);
  right = {};
}

// In the type that sums are kept in, dense, and nobody else's.
Tensor own_copy(Tensor x) {
  const DType dtype = sum_dtype(x.dtype());
  if (x.dtype() != dtype) return cast(x, dtype);
  return x.storage().use_count() == 1 && x.is_dense() ? x : clone(x);
}

}  // namespace

GradientBuckets::GradientBuckets(ProcessGroup& group, const Shards& shards,
                                 std::span<const Tensor> leaves, int64_t micro_batches)
    : group_(group),
      shards_(shards),
      leaves_(leaves),
      micro_batches_(micro_batches),
      index_(group.processes().index),
      count_(group.processes().count),
      last_(micro_batches_of(index_, count_, micro_batches).second - 1),
      own_(leaves.size()),
      done_(leaves.size()),
      arrived_(leaves.size()),
      exchange_(group) {
  parcels_.reserve(shards.buckets().size());
}

void GradientBuckets::add(int64_t micro, size_t weight, Tensor gradient) {
  own_[weight].push({micro, 1}, own_copy(std::move(gradient)), add_tensor);
  if (micro != last_) return;
  done_[weight] = true;
  leave_ready();
}

// In one order in all processes, whatever the order in which walks end.
void GradientBuckets::leave_ready() {
  const std::span<const WeightBucket> buckets = shards_.buckets();
  for (; count_ > 1 && left_ < buckets.size(); ++left_) {
    const WeightBucket& next = buckets[left_];
    const auto first = done_.begin() + static_cast<ptrdiff_t>(next.begin);
    const auto end = done_.begin() + static_cast<ptrdiff_t>(next.end);
    if (!std::all_of(first, end, [](bool done) { return done; })) return;
    leave(next);
  }
}

void GradientBuckets::leave(const WeightBucket& bucket) {
  Parcels& parcels = parcels_.emplace_back(group_);
  for (int64_t process = 0; process < count_; ++process) {
    if (process == index_) continue;
    for (size_t part = 0; part < own_[bucket.begin].parts().size(); ++part)
      for (size_t i = bucket.begin; i < bucket.end; ++i)
        parcels.send(process, elements(own_[i].parts()[part].value, shards_.owned(process, i)));
    for (const TreeNode node : nodes_of(process, count_, micro_batches_))
      for (size_t i = bucket.begin; i < bucket.end; ++i) {
        const Tensor theirs = empty({shards_.owned(index_, i).count()},
                                    sum_dtype(leaves_[i].dtype()), leaves_[i].device());
        parcels.receive(process, theirs);
        arrived_[i].push_back({process, node, theirs});
      }
  }
  exchange_.begin(parcels.work());
}

// Every process's subtrees, of the elements owned here, added in the tree's order.
Tensor GradientBuckets::sum_of(size_t weight) {
  std::vector<Arrival> all = std::move(arrived_[weight]);
  const auto own_place =
      std::find_if(all.begin(), all.end(), [&](const Arrival& a) { return a.process > index_; });
  std::vector<Arrival> mine;
  for (Sums::Part& part : own_[weight].parts()) {
    const bool whole = count_ == 1;
    mine.push_back({index_, part.node,
                    whole ? part.value : elements(part.value, shards_.owned(index_, weight))});
  }
  all.insert(own_place, mine.begin(), mine.end());
  mine.clear();
  own_[weight] = {};
  Sums sums;
  for (Arrival& part : all) sums.push(part.node, std::move(part.values), add_tensor);
  return std::move(sums.parts()[0].value);
}

std::vector<Tensor> GradientBuckets::finish() {
  exchange_.wait();
  for (Parcels& parcels : parcels_) parcels.arrive();
  parcels_.clear();
  std::vector<Tensor> out;
  for (size_t i = 0; i < leaves_.size(); ++i) out.push_back(sum_of(i));
  return out;
}

void GradientBuckets::give_up() {
  for (size_t i = 0; i < leaves_.size(); ++i) {
    if (done_[i]) continue;
    own_[i] = {};
    for (const TreeNode node : nodes_of(index_, count_, micro_batches_))
      own_[i].push(node,
                   zeros(leaves_[i].shape(), sum_dtype(leaves_[i].dtype()), leaves_[i].device()),
                   add_tensor);
    done_[i] = true;
  }
  leave_ready();
  exchange_.wait();
}

}  // namespace jogak
