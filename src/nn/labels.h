// What the outputs of a classifier stand for, and the loss that goes with them. As transformers:
// id2label names the outputs, problem_type says whether one of them holds, any number, or each is
// a number by itself.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "ops/cross_entropy.h"

namespace jogak {

enum class Problem : uint8_t {
  by_targets,    // not said: one output is a number, integer targets name one, others any
  single_label,  // cross-entropy; targets i64 [..], -100: does not count
  multi_label,   // cross-entropy of each output's odds; targets [.., labels] from 0 to 1
  regression,    // mean squared error; targets [..] or [.., labels]
};

struct Labels {
  std::vector<std::string> names = {"LABEL_0", "LABEL_1"};
  Problem problem = Problem::by_targets;

  int64_t count() const { return static_cast<int64_t>(names.size()); }
  Problem problem_for(const Tensor& targets) const;
};

Labels read_labels(const Fields& fields);  // id2label or num_labels, problem_type
void write_labels(const Labels& labels, Json& config);

// Logits [.., labels] against targets. mean is over the targets that count: transformers' loss.
// Label smoothing is for one of many labels; a UsageError for the other problems.
Tensor label_loss(const Tensor& logits, const Tensor& targets, const Labels& labels,
                  const CrossEntropyOptions& options = {});

}  // namespace jogak
