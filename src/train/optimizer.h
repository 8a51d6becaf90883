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
#include "train/shards.h"

namespace jogak {

class Optimizer {
 public:
  // `owned`, one range for each of params.trained(), says which elements this process changes and
  // remembers; empty: all of them.
  Optimizer(const ParamStore& params, const OptimizerOptions& options,
            std::span<const ElementRange> owned = {});

  // One gradient for each of params.trained(), of the elements owned, each multiplied by `scale`
  // on the way.
  void step(std::span<const Tensor> grads, double rate, double scale = 1) {
    begin(rate, scale, 0);
    update(grads);
  }
  // The same in two. begin() counts the step and sends its numbers to the device, where
  // update_scale may decide of them what the host need not know yet; update() is the same work for
  // every step, which a device may record. Where the numbers forbid it nothing changes, and the
  // caller takes the count back.
  void begin(double rate, double share, double limit);
  void update(std::span<const Tensor> grads);
  void take_back_count() { --updates_; }
  const Tensor& numbers() const { return numbers_; }  // UpdateNumbers

  int64_t updates() const { return updates_; }  // steps so far
  const OptimizerOptions& options() const { return options_; }

  // "m.<weight>" and "v.<weight>", or "momentum.<weight>": whole, and what of it lies here.
  struct Entry {
    std::string name;
    Shape shape;
    DType dtype;
    size_t weight = 0;  // place in params.trained()
    Tensor part;        // undefined: nothing
  };
  std::vector<Entry> entries() const;
  NamedTensors state() const;  // where everything lies here
  // FormatError when the file holds another optimizer's state, or that of other weights.
  void check(const SafetensorsFile& file) const;
  void restore(const SafetensorsFile& file, int64_t updates);  // where everything lies here
  void set_updates(int64_t updates) { updates_ = updates; }

 private:
  AdamRule rule() const;
  struct Weight {
    std::string name;
    Shape shape;
    DType dtype;
    int64_t place = -1;  // in adam_ or sgd_; -1: nothing of it is owned
    Tensor copy;         // of what is owned, in bf16, where modules compute with such
  };
  OptimizerOptions options_;
  std::vector<Weight> weights_;
  std::vector<AdamTensor> adam_;  // one of the two is empty
  std::vector<SgdTensor> sgd_;
  Tensor numbers_;
  int64_t updates_ = 0;
};

OptimizerKind parse_optimizer(std::string_view name);  // UsageError with the nearest name
const char* name_of(OptimizerKind kind);
std::vector<std::string> optimizer_names();

}  // namespace jogak
