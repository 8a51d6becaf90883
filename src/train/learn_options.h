// How a model learns: steps, optimizer, learning rate, validation, checkpoints. Their defaults are
// those of recipes, which are read into these structs.
#pragma once

#include <cstdint>

namespace jogak {

enum class OptimizerKind : uint8_t { adamw, adam, sgd };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adamw;
  double beta1 = 0.9, beta2 = 0.99, eps = 1e-8;  // adam and adamw
  double weight_decay = -1;  // of matrices, embeddings included; -1: 0.1 with adamw, else none
  double momentum = 0.9;     // sgd

  double decay() const {
    return weight_decay != -1 ? weight_decay : kind == OptimizerKind::adamw ? 0.1 : 0;
  }
};

enum class ScheduleKind : uint8_t {
  constant,
  linear,        // straight down to final_rate at the last step
  cosine,        // half a cosine down to final_rate at the last step
  inverse_sqrt,  // rate * sqrt(warmup / step)
  noam,          // factor * width^-0.5 * min(step^-0.5, step * warmup^-1.5)
  wsd,           // warm-up, stable, then straight down over the last `decay` steps
  one_cycle,  // by cosines from rate / 25 up to rate over the warm-up, then down to rate / 250000
};

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::cosine;
  double rate = 1e-3;  // the peak; noam has none of its own
  double final_rate = 1e-4;
  int64_t warmup = 100;  // steps from 0 straight up to the peak, which step `warmup` has
  int64_t steps = 0;     // the last step; after it the rate stays. 0: as many as the run has
  int64_t decay = 0;     // wsd alone
  int64_t width = 0;     // noam alone
  double factor = 1;     // noam alone
};

struct LearnOptions {
  int64_t steps = 1000;
  int64_t batch = 16;      // examples of a step
  int64_t accumulate = 1;  // micro-batches they are cut into, to save memory
  // Micro-batches, a power of two, whose sums have one order for any number of processes; 0: not
  // set, one process alone
  int64_t micro_batches = 0;
  bool recompute = false;  // keep of each block its input alone; the result does not depend on it
  double clip = 1;         // largest norm of the gradient; 0: any
  OptimizerOptions optimizer = {};
  ScheduleOptions schedule = {};
  int64_t eval_every = 250;         // validation; 0: after the last step only
  int64_t checkpoint_every = 1000;  // 0: after the last step only
  int64_t keep = 2;                 // newest checkpoints that stay
  int64_t patience = 0;             // validations without a better one before training ends; 0: off
  int64_t log_every = 10;           // steps to a line of metrics
  // After the last step the mean of this many newest checkpoints is tried, and kept as the model
  // where it validates better; 0 or 1: not.
  int64_t average = 0;
  uint64_t seed = 1337;  // of the weights, of the order of examples and of dropout
};

}  // namespace jogak
