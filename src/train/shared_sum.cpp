#include "train/shared_sum.h"

#include <algorithm>

#include "autograd/autograd.h"
#include "base/shortage.h"
#include "nn/params.h"
#include "ops/grad_norm.h"

namespace jogak {
namespace {

void add_tensors(std::vector<Tensor>& left, std::vector<Tensor>& right) {
  for (size_t i = 0; i < left.size(); ++i) accumulate(left[i], right[i]);
  right.clear();
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
  Result out;
  together_.in_all([&] {
    GradientBuckets buckets(group_, shards_, leaves_, plan.micro_batches);
    try {
      own = compute(task, plan, run, restore, buckets);
    } catch (const ProcessLost&) {
      throw;
    } catch (...) {
      buckets.give_up();
      throw;
    }
    out.grads = buckets.finish();
  });
  share_numbers(own.numbers);
  mean_buffers(own.buffers, plan.micro_batches);
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
                                  FunctionRef<void()> restore, GradientBuckets& buckets) {
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
      gradients(loss.sum, leaves_,
                [&](size_t weight, Tensor grad) { buckets.add(micro, weight, std::move(grad)); });
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

void SharedSum::mean_buffers(Sums& own, int64_t micro_batches) {
  if (buffers_.empty()) return;
  Parcels parcels(group_);
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
  std::vector<std::vector<double>> units(static_cast<size_t>(count_));  // of each process
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const int64_t owned = shards_.owned(index_, i).count();
    for (int64_t at = 0; at < owned; at += kShardUnit)
      mine.push_back(elements(grads[i], {at, std::min(at + kShardUnit, owned)}));
    for (int64_t process = 0; process < count_; ++process) {
      auto& theirs = units[static_cast<size_t>(process)];
      theirs.resize(theirs.size() +
                    static_cast<size_t>(units_of(shards_.owned(process, i).count())));
    }
  }
  if (!mine.empty()) {
    Device& device = leaves_[0].device();
    const Tensor each = empty({static_cast<int64_t>(mine.size())}, DType::f64, device);
    squared_norm(mine, each, empty({}, DType::f64, device));
    units[static_cast<size_t>(index_)] = to_host<double>(each);
  }
  std::vector<std::span<std::byte>> parts;
  for (std::vector<double>& theirs : units) parts.push_back(bytes_of(std::span(theirs)));
  group_.share(parts);
  std::vector<double> out(leaves_.size());
  std::vector<size_t> at(units.size());
  for (size_t i = 0; i < leaves_.size(); ++i)
    for (size_t process = 0; process < units.size(); ++process) {
      const int64_t owned = shards_.owned(static_cast<int64_t>(process), i).count();
      for (int64_t unit = 0; unit < units_of(owned); ++unit)
        out[i] += units[process][at[process]++];
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
