// What recipes call optimizers; apart from what computes with tensors.
#include <algorithm>

#include "base/suggest.h"
#include "train/optimizer.h"

namespace jogak {
namespace {

constexpr const char* kOptimizers[] = {"adamw", "adam", "sgd"};  // in the order of the enum

}  // namespace

const char* name_of(OptimizerKind kind) { return kOptimizers[static_cast<size_t>(kind)]; }

std::vector<std::string> optimizer_names() {
  return {std::begin(kOptimizers), std::end(kOptimizers)};
}

OptimizerKind parse_optimizer(std::string_view name) {
  const auto at = std::find(std::begin(kOptimizers), std::end(kOptimizers), name);
  ensure<UsageError>(at != std::end(kOptimizers), "no optimizer \"", name, "\"",
                     did_you_mean(name, optimizer_names()));
  return static_cast<OptimizerKind>(at - std::begin(kOptimizers));
}

}  // namespace jogak
