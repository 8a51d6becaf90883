#include "train/optimizer.h"

#include <algorithm>
#include <cmath>

namespace jogak {
namespace {

void check(const OptimizerOptions& o) {
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

void read_into(const Tensor& to, const SafetensorsFile& file, const std::string& name) {
  ensure<FormatError>(file.has(name), file.path(), ": no tensor ", shown_name(name),
                      ": this state belongs to another model or optimizer");
  const Tensor from = file.read(name);
  ensure<FormatError>(from.shape() == to.shape() && from.dtype() == to.dtype(), file.path(),
                      ": tensor ", shown_name(name), ": found ", from.dtype(), " ", from.shape(),
                      ", wanted ", to.dtype(), " ", to.shape());
  copy_into(to, to_device(from, to.device()));
}

}  // namespace

Optimizer::Optimizer(const ParamStore& params, const OptimizerOptions& options)
    : options_(options) {
  check(options);
  for (const Param& p : params.all()) {
    if (!p.trained) continue;
    const Tensor weight = p.value.detach();
    ensure<UsageError>(weight.dtype() == DType::f32 || weight.dtype() == DType::f64,
                       "optimizer: ", p.name, " is ", weight.dtype(), ", wanted f32 or f64");
    const double decay = weight.rank() >= 2 ? options.decay() : 0;
    const auto zeros_like = [&] { return zeros(weight.shape(), weight.dtype(), weight.device()); };
    names_.push_back(p.name);
    copies_.push_back(p.copy.defined() ? p.copy.detach() : Tensor());
    if (options.kind == OptimizerKind::sgd)
      sgd_.push_back({weight, {}, options.momentum > 0 ? zeros_like() : Tensor(), decay});
    else
      adam_.push_back({weight, {}, zeros_like(), zeros_like(), decay, copies_.back()});
  }
}

void Optimizer::step(std::span<const Tensor> grads, double rate, double scale) {
  ensure<ShapeError>(grads.size() == names_.size(), "optimizer: ", grads.size(), " gradients for ",
                     names_.size(), " weights");
  ++updates_;
  for (size_t i = 0; i < grads.size(); ++i) {
    if (adam_.empty())
      sgd_[i].grad = cast(grads[i], sgd_[i].weight.dtype());
    else
      adam_[i].grad = grads[i];
  }
  sgd_step(sgd_, {.rate = rate, .momentum = options_.momentum, .grad_scale = scale});
  adam_step(adam_, {.rate = rate,
                    .beta1 = options_.beta1,
                    .beta2 = options_.beta2,
                    .eps = options_.eps,
                    .grad_scale = scale,
                    .step = updates_,
                    .decoupled = options_.kind == OptimizerKind::adamw});
  for (size_t i = 0; i < sgd_.size(); ++i)
    if (copies_[i].defined()) copy_into(copies_[i], sgd_[i].weight);
  for (SgdTensor& t : sgd_) t.grad = {};  // gradients are not kept beyond the step
  for (AdamTensor& t : adam_) t.grad = {};
}

NamedTensors Optimizer::state() const {
  NamedTensors out;
  for (size_t i = 0; i < adam_.size(); ++i) {
    out.emplace_back("m." + names_[i], adam_[i].m);
    out.emplace_back("v." + names_[i], adam_[i].v);
  }
  for (size_t i = 0; i < sgd_.size(); ++i)
    if (sgd_[i].momentum.defined()) out.emplace_back("momentum." + names_[i], sgd_[i].momentum);
  return out;
}

void Optimizer::restore(const SafetensorsFile& file, int64_t updates) {
  const NamedTensors wanted = state();
  for (const auto& [name, tensor] : wanted) read_into(tensor, file, name);
  for (const std::string& name : file.names()) {
    const bool known = std::any_of(wanted.begin(), wanted.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    ensure<FormatError>(known, file.path(), ": found tensor ", shown_name(name),
                        ", which is of no weight of this model");
  }
  updates_ = updates;
}

double clip_factor(double norm, double limit) {
  return limit > 0 && norm > limit ? limit / norm : 1;
}

}  // namespace jogak
