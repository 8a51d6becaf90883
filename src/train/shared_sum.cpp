#include "train/shared_sum.h"

#include <algorithm>

#include "autograd/autograd.h"
#include "nn/params.h"
#include "ops/grad_norm.h"

namespace jogak {
namespace {

void add_tensors(std::vector<Tensor>& left, std::vector<Tensor>& right) {
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].count() > 0) accumulate(left[i], right[i]);
    right[i] = {};
  }
}

// In the type that sums are kept in, dense, and nobody else's.
Tensor own_copy(Tensor x) {
  const DType dtype = sum_dtype(x.dtype());
  if (x.dtype() != dtype) return cast(x, dtype);
  return x.storage().use_count() == 1 && x.is_dense() ? x : clone(x);
}

int64_t units_of(int64_t elements) { return (elements + kShardUnit - 1) / kShardUnit; }

std::vector<Tensor> values_of(const ParamStore& params, bool copies) {
  std::vector<Tensor> out;
  for (const Param& p : params.all())
    if (p.trained) out.push_back(copies ? p.copy : p.value.detach());
  return out;
}

std::vector<Tensor> learning_buffers(const ParamStore& params) {
  std::vector<Tensor> out;
  for (const Param& p : params.all())
    if (!p.trained && !p.frozen && is_float(p.value.dtype())) out.push_back(p.value.detach());
  return out;
}

}  // namespace

SharedSum::SharedSum(const ParamStore& params, ProcessGroup& group)
    : group_(group),
      together_(group),
      index_(group.processes().index),
      count_(group.processes().count),
      leaves_(params.trained()),
      weights_(values_of(params, false)),
      copies_(values_of(params, true)),
      buffers_(learning_buffers(params)),
      shards_(weights_, count_) {}

SharedSum::Result SharedSum::operator()(const TrainTask& task, const StepPlan& plan, Run& run,
                                        FunctionRef<void()> restore) {
  Own own;
  together_.in_all([&] { own = compute(task, plan, run, restore); });
  share_numbers(own.numbers);
  mean_buffers(own.buffers, plan.micro_batches);
  Result out;
  out.grads = sum_gradients(own.grads, plan.micro_batches);
  out.norms = norms(out.grads);
  for (const Number& one : own.numbers) {
    out.losses.push_back(one.loss);
    out.tokens += one.tokens;
  }
  return out;
}

void SharedSum::with_micro_batch(const StepPlan& plan, int64_t micro, Run& run,
                                 FunctionRef<void(std::span<const Pick>)> work) const {
  struct Seed {  // back to what it was, however the work ends
    Run& run;
    uint64_t before;
    ~Seed() { run.seed = before; }
  } const kept{run, run.seed};
  const auto examples = static_cast<int64_t>(plan.picks.size());
  const auto begin = static_cast<size_t>(examples * micro / plan.micro_batches);
  const auto end = static_cast<size_t>(examples * (micro + 1) / plan.micro_batches);
  run.seed += static_cast<uint64_t>(micro) * 0x9E3779B97F4A7C15ULL;
  run.begin_step(run.step);
  work(plan.picks.subspan(begin, end - begin));
}

SharedSum::Own SharedSum::compute(const TrainTask& task, const StepPlan& plan, Run& run,
                                  FunctionRef<void()> restore) {
  const auto [begin, end] = micro_batches_of(index_, count_, plan.micro_batches);
  Own own;
  own.numbers.resize(static_cast<size_t>(plan.micro_batches));
  const Tensor losses = zeros({end - begin}, DType::f64, leaves_[0].device());
  for (int64_t micro = begin; micro < end; ++micro) {
    restore();
    with_micro_batch(plan, micro, run, [&](std::span<const Pick> picks) {
      const LossSum loss = task.prepare(picks)(run);
      copy_into(losses.view({}, {}, micro - begin), cast(loss.sum, DType::f64).detach());
      own.numbers[static_cast<size_t>(micro)].tokens = loss.tokens;
      std::vector<Tensor> grads = gradients(loss.sum, leaves_);
      for (Tensor& grad : grads) grad = own_copy(std::move(grad));
      own.grads.push({micro, 1}, std::move(grads), add_tensors);
    });
    std::vector<Tensor> after;
    for (const Tensor& buffer : buffers_) after.push_back(clone(buffer));
    own.buffers.push({micro, 1}, std::move(after), add_tensors);
  }
  const std::vector<double> host = to_host<double>(losses);
  for (int64_t micro = begin; micro < end; ++micro)
    own.numbers[static_cast<size_t>(micro)].loss = host[static_cast<size_t>(micro - begin)];
  return own;
}

void SharedSum::share_numbers(std::vector<Number>& numbers) {
  std::vector<std::span<std::byte>> parts;
  for (int64_t process = 0; process < count_; ++process) {
    const auto [begin, end] =
        micro_batches_of(process, count_, static_cast<int64_t>(numbers.size()));
    parts.push_back(bytes_of(
        std::span(numbers).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin))));
  }
  group_.share(parts);
}

Tensor SharedSum::owned_part(const Tensor& grad, size_t weight) const {
  return count_ == 1 ? grad : elements(grad, shards_.owned(index_, weight));
}

// Every process's subtrees, of the elements owned here, added in the tree's order.
std::vector<Tensor> SharedSum::sum_gradients(Sums& own, int64_t micro_batches) {
  Parcels parcels;
  Sums sums;
  std::vector<Sums::Part> parts;
  for (int64_t process = 0; process < count_; ++process) {
    if (process == index_) {
      for (Sums::Part& part : own.parts()) {
        std::vector<Tensor> mine;
        for (size_t i = 0; i < leaves_.size(); ++i) mine.push_back(owned_part(part.value[i], i));
        parts.push_back({part.node, std::move(mine)});
      }
      continue;
    }
    for (const Sums::Part& part : own.parts())
      for (size_t i = 0; i < leaves_.size(); ++i)
        parcels.send(process, elements(part.value[i], shards_.owned(process, i)));
    for (const TreeNode node : nodes_of(process, count_, micro_batches)) {
      std::vector<Tensor> theirs;
      for (size_t i = 0; i < leaves_.size(); ++i) {
        theirs.push_back(empty({shards_.owned(index_, i).count()}, own.parts()[0].value[i].dtype(),
                               leaves_[i].device()));
        parcels.receive(process, theirs.back());
      }
      parts.push_back({node, std::move(theirs)});
    }
  }
  parcels.exchange(group_);
  own = {};
  for (Sums::Part& part : parts) sums.push(part.node, std::move(part.value), add_tensors);
  return std::move(sums.parts()[0].value);
}

void SharedSum::mean_buffers(Sums& own, int64_t micro_batches) {
  if (buffers_.empty()) return;
  Parcels parcels;
  std::vector<Sums::Part> parts;
  for (int64_t process = 0; process < count_; ++process) {
    if (process == index_) {
      for (Sums::Part& part : own.parts()) parts.push_back(part);
      continue;
    }
    for (const Sums::Part& part : own.parts())
      for (const Tensor& value : part.value) parcels.send(process, value);
    for (const TreeNode node : nodes_of(process, count_, micro_batches)) {
      std::vector<Tensor> theirs;
      for (const Tensor& buffer : buffers_) {
        theirs.push_back(empty_like(buffer));
        parcels.receive(process, theirs.back());
      }
      parts.push_back({node, std::move(theirs)});
    }
  }
  parcels.exchange(group_);
  Sums sums;
  for (Sums::Part& part : parts) sums.push(part.node, std::move(part.value), add_tensors);
  const std::vector<Tensor>& total = sums.parts()[0].value;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    scale_in_place(total[i], 1 / static_cast<double>(micro_batches));
    copy_into(buffers_[i], total[i]);
  }
}

// Units have one order of sums each, and are added in their order.
std::vector<double> SharedSum::norms(std::span<const Tensor> grads) {
  std::vector<Tensor> mine;
  std::vector<std::pair<int64_t, int64_t>> stretch(static_cast<size_t>(count_));  // of units
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const ElementRange range = shards_.owned(index_, i);
    for (int64_t at = range.begin; at < range.end; at += kShardUnit)
      mine.push_back(elements(
          grads[i], {at - range.begin, std::min(at + kShardUnit, range.end) - range.begin}));
    for (int64_t process = 0; process < count_; ++process)
      stretch[static_cast<size_t>(process)].second += units_of(shards_.owned(process, i).count());
  }
  int64_t total = 0;
  for (auto& [begin, length] : stretch) begin = total, total += length;
  std::vector<double> units(static_cast<size_t>(total));
  if (!mine.empty()) {
    Device& device = leaves_[0].device();
    const Tensor each = empty({static_cast<int64_t>(mine.size())}, DType::f64, device);
    squared_norm(mine, each, empty({}, DType::f64, device));
    const std::vector<double> host = to_host<double>(each);
    std::copy(host.begin(), host.end(), units.begin() + stretch[static_cast<size_t>(index_)].first);
  }
  std::vector<std::span<std::byte>> parts;
  for (const auto& [begin, length] : stretch)
    parts.push_back(bytes_of(
        std::span(units).subspan(static_cast<size_t>(begin), static_cast<size_t>(length))));
  group_.share(parts);
  std::vector<double> out;
  size_t at = 0;
  for (const Tensor& weight : weights_) {
    double sum = 0;
    for (int64_t i = 0; i < units_of(weight.count()); ++i) sum += units[at++];
    out.push_back(sum);
  }
  return out;
}

void SharedSum::gather_weights() {
  if (count_ == 1) return;
  gather_elements(group_, shards_, weights_);
  for (size_t i = 0; i < weights_.size(); ++i)
    if (copies_[i].defined()) copy_into(copies_[i].detach(), weights_[i]);
}

}  // namespace jogak
