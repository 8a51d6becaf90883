// Gradients into weights. What an optimizer remembers is named by the weight it belongs to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors.h"
#include "nn/params.h"
#include "ops/adam.h"
#include "ops/sgd.h"
#include "train/learn_options.h"

namespace jogak {

class Optimizer {
 public:
  Optimizer(const ParamStore& params, const OptimizerOptions& options);

  // One gradient for each of params.trained(), each multiplied by `scale` on the way.
  void step(std::span<const Tensor> grads, double rate, double scale = 1);

  int64_t updates() const { return updates_; }  // steps so far
  const OptimizerOptions& options() const { return options_; }

  // "m.<weight>" and "v.<weight>", or "momentum.<weight>".
  NamedTensors state() const;
  // FormatError when the file holds another optimizer's state, or that of other weights.
  void restore(const SafetensorsFile& file, int64_t updates);

 private:
  OptimizerOptions options_;
  std::vector<std::string> names_;
  std::vector<AdamTensor> adam_;  // one of the two is empty
  std::vector<SgdTensor> sgd_;
  std::vector<Tensor> copies_;  // of the weights, in bf16, where modules compute with such
  int64_t updates_ = 0;
};

// The factor that brings a gradient of this norm down to `limit`: 1 when it is no longer than
// that, or when the limit is 0 (off).
double clip_factor(double norm, double limit);

OptimizerKind parse_optimizer(std::string_view name);  // UsageError with the nearest name
const char* name_of(OptimizerKind kind);
std::vector<std::string> optimizer_names();

}  // namespace jogak
