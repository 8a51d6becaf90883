#include "train/recorded_step.h"

#include <algorithm>

namespace jogak {
namespace {

constexpr int kSeenBefore = 3;  // steps of the same shapes: kernels are chosen, memory is known
constexpr size_t kMostBatches = 64;  // of a step: more kernels take long to keep

bool same_kind(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.shape() == b.shape() && a.dtype() == b.dtype();
}

bool same_kinds(std::span<const BatchLoss> batches, const std::vector<std::vector<Tensor>>& other) {
  const auto same = [](const BatchLoss& a, const std::vector<Tensor>& b) {
    return std::equal(a.inputs.begin(), a.inputs.end(), b.begin(), b.end(), same_kind);
  };
  return std::equal(batches.begin(), batches.end(), other.begin(), other.end(), same);
}

}  // namespace

RecordedStep::RecordedStep(Device& device)
    : device_(device), given_up_(device.kind() == Device::Kind::cpu) {}

bool RecordedStep::possible(size_t batches, const Run& run) const {
  return !given_up_ && batches <= kMostBatches && !run.probe && !run.rehearsal;
}

// What was recorded keeps its memory; the rest of the run, validation for one, needs as much again.
bool RecordedStep::has_memory() const {
  device_.synchronize();  // what waits to be done may still read what is given back
  device_.allocator().trim();
  return device_.free_memory() / 2 >= device_.allocator().stats().peak_bytes;
}

void RecordedStep::record(std::span<const BatchLoss> batches, Run& run, Work work) {
  given_up_ = true;
  if (!has_memory()) return;
  inputs_.clear();
  std::vector<BatchLoss> there(batches.begin(), batches.end());
  for (BatchLoss& batch : there) {
    for (Tensor& x : batch.inputs)
      if (x.defined()) x = empty(x.shape(), x.dtype(), device_);
    inputs_.push_back(batch.inputs);
  }
  work_ = device_.record([&] { coming_ = work(there); });
  if (!work_) return run.begin_step(run.step);  // the streams of this step are not used up
  step_ = run.step;
  given_up_ = false;
}

bool RecordedStep::ready(std::span<const BatchLoss> batches, Run& run, Work work) {
  for (const BatchLoss& batch : batches)
    if (!batch.steady) return false;
  if (!work_) {
    alike_ = same_kinds(batches, last_) ? alike_ + 1 : 1;
    last_.clear();
    for (const BatchLoss& batch : batches) last_.push_back(batch.inputs);
    if (alike_ <= kSeenBefore) return false;
    last_.clear();
    record(batches, run, work);
  }
  return work_ && same_kinds(batches, inputs_);
}

std::shared_ptr<Arriving> RecordedStep::start(std::span<const BatchLoss> batches, const Run& run) {
  for (size_t i = 0; i < inputs_.size(); ++i)
    for (size_t k = 0; k < inputs_[i].size(); ++k)
      if (const Tensor& to = inputs_[i][k]; to.defined())
        copy_into(to, to_device(batches[i].inputs[k], device_));
  work_->start((run.step - step_) * Run::kStreams);
  return coming_;
}

}  // namespace jogak
