#pragma once

#include "tensor/tensor.h"

namespace jogak {

enum class Reduction { mean, sum, none };

struct CrossEntropyOptions {
  double label_smoothing = 0;  // spread evenly over all classes: eps / V each
  int64_t ignored = -100;      // targets of this value count nowhere
  Reduction reduction = Reduction::mean;
  // The caller gives the logits up: backward writes their gradient over them instead of into
  // memory of its own. Whoever still needs their values after backward must not set this; ops
  // that saved them notice and throw.
  bool reuse_logits = false;
};

// -log softmax(logits)[target] over the last axis. logits [.., V], targets i64 [..]; the loss is
// [] (mean, sum) or [..] (none), f32 whatever the logits (f64 for f64). A row is summed in that
// type, rows are added in double in their order. mean divides by the targets that are not
// ignored, and is 0 when all are. A target outside 0 .. V-1 throws, naming it.
//
// Softmax is fused: beside the logits only one number a row is kept for backward.
Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options = {});

}  // namespace jogak
