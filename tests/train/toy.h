// A small network on made-up data, as a trainer sees any model: functions over its weights.
#pragma once

#include <string>

#include "group/group.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "train/step.h"
#include "train/trainer.h"

namespace jogak::test {

struct ToyBatch {
  Tensor x;        // [B, T, features]
  Tensor targets;  // i64 [B, T], some ignored: examples have unequal numbers of tokens
  int64_t tokens = 0;
};
template <class F>
void each_input(ToyBatch& b, F f) {
  f(b.x), f(b.targets);
}
inline int64_t counted(const ToyBatch& b) { return b.tokens; }

struct ToyOptions {
  uint64_t seed = 1;
  DType dtype = DType::f32;
  bool dropout = false;
  bool with_buffer = false;  // a buffer that every training pass changes
  int64_t features = 12, hidden = 40, classes = 11, length = 6, examples = 37;
};

class Toy {
 public:
  explicit Toy(ToyOptions options = {}, Device& device = cpu_device());

  ToyBatch batch(std::span<const Pick> picks) const;
  LossSum loss(const ToyBatch& batch, Run& run) const;
  double validation_loss(Run& run) const;  // over every example

  // A task over this network; it must outlive the task.
  TrainTask task();

  ToyOptions options;
  ParamStore params;

 private:
  Device& device_;
  Tensor up_, up_bias_, down_, down_bias_, passes_;
};

// Settings that exercise everything in a few steps.
TrainOptions toy_training(const std::string& out, int64_t steps);

std::string weights_sha256(const ParamStore& params);
// Of weights and optimizer as they lie in the newest checkpoint of a run.
std::string checkpoint_sha256(const std::string& run);

}  // namespace jogak::test
