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

StepResult without_tokens(StepResult result) {
  result.bad = "no token of the batch counts";
  return result;
}

// A step that the optimizer counts before its numbers are known; it stands if they allow it.
class CountedStep {
 public:
  CountedStep(Optimizer& optimizer, const StepPlan& plan, int64_t tokens) : optimizer_(optimizer) {
    optimizer_.begin(plan.rate, 1 / static_cast<double>(tokens), plan.clip);
  }
  ~CountedStep() {
    if (!stands) optimizer_.take_back_count();
  }
  CountedStep(const CountedStep&) = delete;
  CountedStep& operator=(const CountedStep&) = delete;
  bool stands = false;

 private:
  Optimizer& optimizer_;
};

}  // namespace

TrainStep::TrainStep(const ParamStore& params, Optimizer& optimizer, ProcessGroup& group)
    : params_(params),
      optimizer_(optimizer),
      group_(group),
      together_(group),
      shared_(params, group),
      leaves_(params.trained()),
      recorded_(leaves_.empty() ? cpu_device() : leaves_[0].device()) {
  ensure<UsageError>(!leaves_.empty(), "training: the model has no weights to train");
  for (const Param& p : params.all()) {
    if (p.trained)
      names_.push_back(p.name);
    else
      buffers_.emplace_back(p.value, empty_like(p.value));
  }
  Device& device = leaves_[0].device();
  sums_ = zeros({2}, DType::f64, device);
  norms_ = zeros({static_cast<int64_t>(leaves_.size())}, DType::f64, device);
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

int64_t TrainStep::add(const BatchLoss& batch, Run& run, std::vector<Tensor>& grads) {
  const LossSum loss = batch(run);
  accumulate(sums_.view({}, {}, 0), cast(loss.sum, DType::f64));
  add_gradients(grads, gradients(loss.sum, leaves_));
  return loss.tokens;
}

std::unique_ptr<Arriving> TrainStep::finish(const std::vector<Tensor>& grads) {
  squared_norm(grads, norms_, sums_.view({}, {}, 1));
  std::unique_ptr<Arriving> coming = read_later(sums_);
  update_scale(sums_, optimizer_.numbers());
  optimizer_.update(grads);
  return coming;
}

StepResult TrainStep::take(const TrainTask& task, const StepPlan& plan, Run& run) {
  if (plan.micro_batches > 0) return take_together(task, plan, run);
  const std::vector<Picks> pieces = pieces_of(plan);
  std::vector<BatchLoss> batches;  // at hand where the step may be a recorded one
  if (recorded_.possible(pieces.size(), run))
    for (const Picks& picks : pieces) batches.push_back(task.prepare(picks));
  const bool recorded = !batches.empty() && recorded_.ready(batches, run, [&](auto given) {
    std::vector<Tensor> grads;
    fill(sums_, 0);
    for (const BatchLoss& batch : given) add(batch, run, grads);
    return finish(grads);
  });
  StepResult result;
  std::vector<Tensor> grads;
  if (!recorded) fill(sums_, 0);
  for (size_t i = 0; i < pieces.size(); ++i)
    result.tokens += recorded          ? batches[i].tokens
                     : batches.empty() ? add(task.prepare(pieces[i]), run, grads)
                                       : add(batches[i], run, grads);
  if (result.tokens == 0) return without_tokens(result);
  CountedStep counted(optimizer_, plan, result.tokens);
  const std::shared_ptr<Arriving> coming = recorded ? recorded_.start(batches, run) : finish(grads);
  const std::vector<double> sums = wait_for(*coming);  // the one wait of a step
  result.loss_sum = sums[0];
  counted.stands = measured(result, sums[1], [&] {
    grads.clear();
    return std::isfinite(sums[0]) ? bad_gradient(to_host<double>(norms_))
                                  : diagnose(task, pieces, run, sums[0]);
  });
  return result;
}

StepResult TrainStep::take_together(const TrainTask& task, const StepPlan& plan, Run& run) {
  SharedSum::Result sum = shared_(task, plan, run, [&] { restore_buffers(); });
  double squares = 0;
  for (const double one : sum.norms) squares += one;
  StepResult result{.loss_sum = tree_sum(sum.losses), .tokens = sum.tokens};
  if (result.tokens == 0) return without_tokens(result);
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
