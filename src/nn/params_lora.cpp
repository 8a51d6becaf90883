// The adapters of a store: where layers get them, and how they become part of the weights.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "nn/params.h"

namespace jogak {
namespace {

constexpr char kA[] = "lora_A.weight", kB[] = "lora_B.weight";

}  // namespace

void ParamStore::adapt(const LoraConfig& config) {
  ensure<UsageError>(config.rank > 0, "adapters of rank ", config.rank, ", wanted 1 or more");
  lora_ = config;
  seed_ = config.seed;
}

bool ParamStore::is_adapter(const Param& p) const {
  return lora_.rank > 0 && (p.name.ends_with(kA) || p.name.ends_with(kB));
}

Tensor ParamStore::make_factor(Param param, const Shape& shape, Init init) {
  param.value = start_value(param.name, shape, init, dtype_);
  if (use_ == WeightUse::mixed) return keep_trained(std::move(param));
  param.value = leaf(param.value);
  return keep(std::move(param));
}

void ParamStore::merge_adapters() {
  for (const auto& [weight, lora] : adapters_) {
    if (weight.dtype() == DType::packed) {
      for (Lora::Part& part : lora->parts) part.a = part.a.detach(), part.b = part.b.detach();
      continue;
    }
    lora->merge_into(weight);
    lora->parts.clear();
  }
  adapters_.clear();
  std::erase_if(params_, [this](const Param& p) { return is_adapter(p); });
  lora_ = {};
  for (Param& p : params_) p.frozen = false;
}

std::shared_ptr<const Lora> Params::lora(const Tensor& weight) const {
  const LoraConfig& config = store_->lora_;
  if (config.rank == 0) return nullptr;
  auto lora = std::make_shared<Lora>();
  lora->out = weight.dim(0);
  lora->scale = config.scale();
  const auto add = [&](const std::string& layer, int64_t first, int64_t rows, RowBlocks blocks) {
    if (!config.adapts(layer)) return;
    const double spread = 1 / std::sqrt(3 * static_cast<double>(weight.dim(1)));
    const Tensor a = store_->make_factor({.name = layer + "." + kA, .value = {}},
                                         {config.rank, weight.dim(1)}, normal(spread));
    const Tensor b =
        store_->make_factor({.name = layer + "." + kB, .value = {}, .blocks = std::move(blocks)},
                            {rows, config.rank}, constant(0));
    lora->parts.push_back({first, rows, a, b});
  };
  if (joined_.empty()) add(path_.substr(0, path_.size() - 1), 0, lora->out, blocks_);
  int64_t first = 0;
  for (const ParamPart& part : joined_) {
    add(path_ + part.name, first, part.rows, {});
    first += part.rows;
  }
  if (lora->empty()) return nullptr;
  store_->adapters_.emplace_back(weight.detach(), lora);
  return lora;
}

}  // namespace jogak
