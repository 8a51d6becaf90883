// From logits to what a person reads: the likeliest labels, each with its score.
#pragma once

#include <span>
#include <vector>

#include "nn/labels.h"

namespace jogak {

struct Prediction {
  int64_t index = 0;  // of the label or token
  double score = 0;
};

// The likeliest `most`, best first; the scores of all add up to 1.
std::vector<Prediction> likeliest_of(std::span<const float> logits, size_t most);

// The same as the problem wants it: probabilities that add up to 1; of each label by itself where
// any number may hold, or where there is one label; numbers as they are, in the order of the
// labels, of a regression. As the pipelines of transformers.
std::vector<Prediction> label_scores(std::span<const float> logits, const Labels& labels,
                                     size_t most);

// {"label","score"}
Json prediction_json(const std::string& label, double score);

}  // namespace jogak
