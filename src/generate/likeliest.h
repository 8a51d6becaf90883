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
  double repeat_penalty = 1;        // multiplies the log probability of tokens in `seen`
  std::span<const int> seen = {};
};

// The best `count` of softmax's `probabilities`, best first; fewer when fewer can come. Throws
// when one of them is not a number.
std::vector<NextToken> likeliest(std::span<const float> probabilities,
                                 const LikeliestOptions& options);

}  // namespace jogak
