// The likeliest next tokens of a row of scores.
#pragma once

#include <span>
#include <vector>

namespace jogak {

struct NextToken {
  double log_probability = 0;
  int token = 0;
};

struct LikeliestOptions {
  size_t count = 1;
  std::span<const int> never = {};  // tokens left out
  bool renormalize = false;         // log probabilities among those that are not left out
};

// The best `count` of softmax's `probabilities`, best first; fewer when fewer can come. Throws
// when one of them is not a number.
std::vector<NextToken> likeliest(std::span<const float> probabilities,
                                 const LikeliestOptions& options);

// log softmax of the logits in place, by the probability softmax gives the likeliest.
void to_log_probabilities(std::span<float> logits, std::span<const float> probabilities);

// The `count` highest scores, highest first, without those that cannot come (-1e9 or less). Throws
// when one is not a number.
std::vector<NextToken> highest(std::span<const float> scores, size_t count);

// Scores become log probabilities among themselves.
void renormalize(std::vector<NextToken>& all);

}  // namespace jogak
