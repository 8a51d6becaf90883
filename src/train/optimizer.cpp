#include "train/optimizer.h"

#include <algorithm>
#include <cmath>

namespace jogak {
namespace {

void check_options(const OptimizerOptions& o) {
  const auto share = [](double x) { return x >= 0 && x < 1; };
  ensure<UsageError>(share(o.beta1) && share(o.beta2), "optimizer: found betas ", o.beta1, " and ",
                     o.beta2, ", wanted 0 or more and below 1");
  ensure<UsageError>(share(o.momentum), "optimizer: found momentum ", o.momentum,
                     ", wanted 0 or more and below 1");
  ensure<UsageError>(o.eps > 0 && std::isfinite(o.eps), "optimizer: found eps ", o.eps,
                     ", wanted more than 0");
  ensure<UsageError>(o.decay() >= 0 && std::isfinite(o.decay()), "optimizer: found weight decay ",
                     o.weight_decay, ", wanted 0 or more");
}

}  // namespace

Optimizer::Optimizer(const ParamStore& params, const OptimizerOptions& options,
                     std::span<const ElementRange> owned)
    : options_(options) {
  check_options(options);
  const std::vector<Tensor> leaves = params.trained();
  numbers_ = update_numbers(leaves.empty() ? cpu_device() : leaves[0].device());
  for (const Param& p : params.all()) {
    if (!p.trained) continue;
    Tensor weight = p.value.detach(), copy = p.copy.defined() ? p.copy.detach() : Tensor();
    ensure<UsageError>(weight.dtype() == DType::f32 || weight.dtype() == DType::f64,
                       "optimizer: ", p.name, " is ", weight.dtype(), ", wanted f32 or f64");
    const double decay = weight.rank() >= 2 ? options.decay() : 0;
    Weight& entry = weights_.emplace_back(Weight{p.name, weight.shape(), weight.dtype(), -1, {}});
    if (!owned.empty()) {
      const ElementRange range = owned[weights_.size() - 1];
      if (range.count() == 0) continue;
      weight = elements(weight, range);
      if (copy.defined()) copy = elements(copy, range);
    }
    entry.place = static_cast<int64_t>(std::max(adam_.size(), sgd_.size()));
    entry.copy = copy;
    const auto zeros_like = [&] { return zeros(weight.shape(), weight.dtype(), weight.device()); };
    if (options.kind == OptimizerKind::sgd)
      sgd_.push_back({weight, {}, options.momentum > 0 ? zeros_like() : Tensor(), decay});
    else
      adam_.push_back({weight, {}, zeros_like(), zeros_like(), decay, copy});
  }
}

AdamRule Optimizer::rule() const {
  return {.beta1 = options_.beta1,
          .beta2 = options_.beta2,
          .eps = options_.eps,
          .numbers = numbers_,
          .decoupled = options_.kind == OptimizerKind::adamw};
}

void Optimizer::begin(double rate, double share, double limit) {
  ++updates_;
  AdamRule now = rule();
  now.rate = rate, now.grad_scale = share, now.step = updates_;
  UpdateNumbers numbers = numbers_of(now);
  numbers.share = share, numbers.limit = limit;
  set(numbers_, numbers);
}

void Optimizer::update(std::span<const Tensor> grads) {
  ensure<ShapeError>(grads.size() == weights_.size(), "optimizer: ", grads.size(),
                     " gradients for ", weights_.size(), " weights");
  for (size_t i = 0; i < grads.size(); ++i) {
    const auto place = static_cast<size_t>(weights_[i].place);
    if (weights_[i].place < 0) continue;
    if (adam_.empty())
      sgd_[place].grad = cast(grads[i], sgd_[place].weight.dtype());
    else
      adam_[place].grad = grads[i];
  }
  sgd_step(sgd_, {.momentum = options_.momentum, .numbers = numbers_});
  adam_step(adam_, rule());
  for (const Weight& w : weights_)
    if (!sgd_.empty() && w.copy.defined())
      copy_into(w.copy, sgd_[static_cast<size_t>(w.place)].weight);
  for (SgdTensor& t : sgd_) t.grad = {};  // gradients are not kept beyond the step
  for (AdamTensor& t : adam_) t.grad = {};
}

std::vector<Optimizer::Entry> Optimizer::entries() const {
  std::vector<Entry> out;
  const bool sgd = options_.kind == OptimizerKind::sgd;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const Weight& w = weights_[i];
    const auto place = static_cast<size_t>(w.place);
    const auto add = [&](const char* kind, const Tensor& part) {
      out.push_back({kind + w.name, w.shape, w.dtype, i, part});
    };
    if (!sgd) {
      add("m.", w.place < 0 ? Tensor() : adam_[place].m);
      add("v.", w.place < 0 ? Tensor() : adam_[place].v);
    } else if (options_.momentum > 0) {
      add("momentum.", w.place < 0 ? Tensor() : sgd_[place].momentum);
    }
  }
  return out;
}

NamedTensors Optimizer::state() const {
  NamedTensors out;
  for (Entry& entry : entries()) {
    ensure<Error>(entry.part.defined() && entry.part.shape() == entry.shape,
                  "optimizer: ", entry.name, " lies in several processes");
    out.emplace_back(std::move(entry.name), std::move(entry.part));
  }
  return out;
}

void Optimizer::check(const SafetensorsFile& file) const {
  const std::vector<Entry> wanted = entries();
  for (const Entry& entry : wanted) {
    ensure<FormatError>(file.has(entry.name), file.path(), ": no tensor ", shown_name(entry.name),
                        ": this state belongs to another model or optimizer");
    const TensorInfo& info = file.info(entry.name);
    if (info.shape == entry.shape && info.type->dtype == entry.dtype) continue;
    fail<FormatError>(file.path(), ": tensor ", shown_name(entry.name), ": found ",
                      info.type->dtype ? text_of(*info.type->dtype) : info.type->name, " ",
                      info.shape, ", wanted ", entry.dtype, " ", entry.shape);
  }
  for (const std::string& name : file.names()) {
    const bool known = std::any_of(wanted.begin(), wanted.end(),
                                   [&](const Entry& entry) { return entry.name == name; });
    ensure<FormatError>(known, file.path(), ": found tensor ", shown_name(name),
                        ", which is of no weight of this model");
  }
}

void Optimizer::restore(const SafetensorsFile& file, int64_t updates) {
  check(file);
  for (const auto& [name, tensor] : state())
    copy_into(tensor, to_device(file.read(name), tensor.device()));
  updates_ = updates;
}

}  // namespace jogak
