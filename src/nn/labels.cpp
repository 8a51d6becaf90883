#include "nn/labels.h"

#include "ops/mul.h"
#include "ops/regression.h"
#include "ops/reshape.h"

namespace jogak {
namespace {

// The loss is a mean; of the sum it is as many times.
Tensor reduced(const Tensor& mean, int64_t count, Reduction reduction) {
  return reduction == Reduction::mean ? mean : mean * static_cast<double>(count);
}

}  // namespace

Problem Labels::problem_for(const Tensor& targets) const {
  if (problem != Problem::by_targets) return problem;
  if (count() == 1) return Problem::regression;
  return is_float(targets.dtype()) ? Problem::multi_label : Problem::single_label;
}

Tensor label_loss(const Tensor& logits, const Tensor& targets, const Labels& labels,
                  const CrossEntropyOptions& options) {
  const Problem problem = labels.problem_for(targets);
  if (problem == Problem::single_label) return cross_entropy(logits, targets, options);
  ensure<UsageError>(options.label_smoothing == 0, "label smoothing: found ",
                     options.label_smoothing, ", but one of several classes is not predicted here");
  ensure<ShapeError>(targets.count() == logits.count(), "targets ", targets.shape(),
                     " for predictions ", logits.shape());
  const Tensor wanted = reshape(cast(targets, logits.dtype()), logits.shape());
  const Tensor mean =
      problem == Problem::regression ? mse(logits, wanted) : binary_cross_entropy(logits, wanted);
  return reduced(mean, logits.count(), options.reduction);
}

}  // namespace jogak
