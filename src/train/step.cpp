#include "train/step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/grad_norm.h"
#include "train/finite.h"

namespace jogak {
namespace {

void add_gradients(std::vector<Tensor>& sums, std::vector<Tensor> parts) {
  if (sums.empty()) {
    sums = std::move(parts);
    return;
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    const DType dtype = sum_dtype(sums[i].dtype());  // a sum of many keeps more digits than each
    const bool own = sums[i].storage().use_count() == 1 && sums[i].is_dense();
    if (sums[i].dtype() != dtype)
      sums[i] = cast(sums[i], dtype);
    else if (!own)
      sums[i] = clone(sums[i]);
    accumulate(sums[i], cast(parts[i], dtype));
    parts[i] = {};
  }
}

// What is computed at a time, in order. A task's batches may be of one pick alone: pairs are.
std::vector<Picks> pieces_of(const StepPlan& plan) {
  const auto examples = static_cast<int64_t>(plan.picks.size());
  const int64_t count = std::clamp<int64_t>(plan.accumulate, 1, std::max<int64_t>(examples, 1));
  std::vector<Picks> out;
  for (int64_t i = 0; i < count; ++i) {
    const auto begin = static_cast<size_t>(examples * i / count);
    const auto end = static_cast<size_t>(examples * (i + 1) / count);
    out.push_back(plan.picks.subspan(begin, end - begin));
  }
  return out;
}

// An update that is sent before its numbers are known; it counts if they allow it.
class SentUpdate {
 public:
  explicit SentUpdate(Optimizer& optimizer) : optimizer_(optimizer) {}
  ~SentUpdate() {
    if (sent_ && !stands) optimizer_.take_back_count();
  }
  SentUpdate(const SentUpdate&) = delete;
  SentUpdate& operator=(const SentUpdate&) = delete;
  void step(const std::vector<Tensor>& grads, double rate, const Tensor& decided) {
    optimizer_.step(grads, rate, decided);
    sent_ = true;
  }
  bool stands = false;

 private:
  Optimizer& optimizer_;
  bool sent_ = false;
};

}  // namespace

TrainStep::TrainStep(const ParamStore& params, Optimizer& optimizer, ProcessGroup& group)
    : params_(params),
      optimizer_(optimizer),
      group_(group),
      together_(group),
      shared_(params, group),
      leaves_(params.trained()) {
  ensure<UsageError>(!leaves_.empty(), "training: the model has no weights to train");
  for (const Param& p : params.all()) {
    if (p.trained)
      names_.push_back(p.name);
    else
      buffers_.emplace_back(p.value, empty_like(p.value));
  }
  Device& device = leaves_[0].device();
  sums_ = zeros({2}, DType::f64, device);
  scale_ = zeros({2}, DType::f64, device);
  norms_ = zeros({static_cast<int64_t>(leaves_.size())}, DType::f64, device);
  recorded_.emplace(leaves_, sums_.view({}, {}, 0));
}

void TrainStep::keep_buffers() {
  for (const auto& [buffer, kept] : buffers_) copy_into(kept, buffer);
}

void TrainStep::restore_buffers() {
  for (const auto& [buffer, kept] : buffers_) copy_into(buffer, kept);
}

StepResult TrainStep::operator()(const TrainTask& task, const StepPlan& plan, Run& run) {
  keep_buffers();
  try {
    StepResult result = take(task, plan, run);
    if (!result.updated()) restore_buffers();
    return result;
  } catch (...) {
    restore_buffers();
    throw;
  }
}

int64_t TrainStep::add_batch(const BatchLoss& batch, Run& run, std::vector<Tensor>& grads) {
  const LossSum loss = batch(run);
  accumulate(sums_.view({}, {}, 0), cast(loss.sum, DType::f64));
  add_gradients(grads, gradients(loss.sum, leaves_));
  return loss.tokens;
}

int64_t TrainStep::add_batches(const TrainTask& task, const StepPlan& plan, Run& run,
                               std::vector<Tensor>& grads) {
  const std::vector<Picks> pieces = pieces_of(plan);
  if (pieces.size() == 1) {
    const BatchLoss batch = task.prepare(plan.picks);
    if (auto found = (*recorded_)(batch, run)) {
      grads = std::move(*found);
      return batch.tokens;
    }
    return add_batch(batch, run, grads);
  }
  int64_t tokens = 0;
  for (const Picks& picks : pieces) tokens += add_batch(task.prepare(picks), run, grads);
  return tokens;
}

StepResult TrainStep::take(const TrainTask& task, const StepPlan& plan, Run& run) {
  if (plan.micro_batches > 0) return take_together(task, plan, run);
  fill(sums_, 0);
  std::vector<Tensor> grads;
  StepResult result{.tokens = add_batches(task, plan, run, grads)};
  squared_norm(grads, norms_, sums_.view({}, {}, 1));
  const std::unique_ptr<Arriving> coming = read_later(sums_);
  SentUpdate sent(optimizer_);
  if (result.tokens > 0) {
    update_scale(sums_, 1 / static_cast<double>(result.tokens), plan.clip, scale_);
    sent.step(grads, plan.rate, scale_);
  }
  const std::vector<double> sums = wait_for(*coming);  // the one wait of a step
  result.loss_sum = sums[0];
  sent.stands = measured(result, sums[1], [&] {
    grads.clear();
    return std::isfinite(sums[0]) ? bad_gradient(to_host<double>(norms_))
                                  : diagnose(task, pieces_of(plan), run, sums[0]);
  });
  return result;
}

StepResult TrainStep::take_together(const TrainTask& task, const StepPlan& plan, Run& run) {
  SharedSum::Result sum = shared_(task, plan, run, [&] { restore_buffers(); });
  double squares = 0;
  for (const double one : sum.norms) squares += one;
  StepResult result{.loss_sum = tree_sum(sum.losses), .tokens = sum.tokens};
  const auto why = [&] {
    sum.grads.clear();
    return diagnose_together(task, plan, run, sum);
  };
  if (!measured(result, squares, why)) return result;
  const double share = 1 / static_cast<double>(sum.tokens);
  optimizer_.step(sum.grads, plan.rate, share * clip_factor(result.grad_norm, plan.clip));
  shared_.gather_weights();
  return result;
}

bool TrainStep::measured(StepResult& result, double squares, FunctionRef<std::string()> why) {
  if (result.tokens == 0) {
    result.bad = "no token of the batch counts";
    return false;
  }
  result.grad_norm = std::sqrt(squares) * (1 / static_cast<double>(result.tokens));
  if (std::isfinite(result.loss_sum) && std::isfinite(result.grad_norm)) return true;
  restore_buffers();
  result.bad = why();
  return false;
}

// Every process has the same numbers; of a loss, whoever computed the first bad one looks closer
// and tells the others.
std::string TrainStep::diagnose_together(const TrainTask& task, const StepPlan& plan, Run& run,
                                         const SharedSum::Result& sum) {
  const auto bad = std::find_if(sum.losses.begin(), sum.losses.end(),
                                [](double loss) { return !std::isfinite(loss); });
  if (bad == sum.losses.end())
    return std::isfinite(tree_sum(sum.losses)) ? bad_gradient(sum.norms)
                                               : "the sum of the losses is not finite";
  const auto micro = static_cast<int64_t>(bad - sum.losses.begin());
  const auto [index, count] = group_.processes();
  std::string found;
  int64_t owner = 0;
  while (micro >= micro_batches_of(owner, count, plan.micro_batches).second) ++owner;
  together_.in_all([&] {
    if (owner != index) return;
    shared_.with_micro_batch(plan, micro, run, [&](std::span<const Pick> picks) {
      found = diagnose(task, std::array{picks}, run, *bad);
    });
  });
  return group_.text_from(owner, found);
}

std::string TrainStep::first_bad_param() {
  std::vector<Tensor> values;
  std::vector<std::string> names;
  for (const Param& p : params_.all())
    if (is_float(p.value.dtype())) {
      values.push_back(p.value.detach());
      names.push_back(p.name);
    }
  const std::vector<double> sizes = squared_norms(values);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!std::isfinite(sizes[i])) return names[i];
  return "";
}

// Values flow from the weights through the layers into the loss, and gradients from the loss back
// to the weights, the last layer's first.
std::string TrainStep::bad_gradient(const std::vector<double>& norms) const {
  for (size_t i = norms.size(); i-- > 0;)
    if (!std::isfinite(norms[i])) return text_of("the gradient of ", names_[i], " is not finite");
  return "the norm of the gradient is not finite";
}

// Which tensor went bad first, where the loss did.
std::string TrainStep::diagnose(const TrainTask& task, std::span<const Picks> pieces, Run& run,
                                double loss) {
  const std::string param = first_bad_param();
  if (!param.empty()) return text_of(param, " is not finite");
  const std::string value = first_bad_value(task, pieces, run);
  return value.empty() ? text_of("the loss is ", loss)
                       : text_of(value, " is not finite, and the loss is ", loss);
}

}  // namespace jogak
