// From the scores of all tokens to the next token. What the filters keep and their order (repeat
// penalty, temperature, top-k, top-p, min-p) are those of transformers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "generate/options.h"

namespace jogak {

// `history`: prompt and new tokens so far; ids beyond the scores do not matter. Of equals the
// lowest id wins. One number is drawn from `rng`, none at temperature 0. A score that is NaN or
// +infinity is an Error; -infinity marks a token that cannot come.
int pick(std::span<const float> logits, std::span<const int> history,
         const SamplingOptions& options, Rng& rng);

// The repeat penalty alone, in place; each token counts once however often it was seen.
void penalize_repeats(std::span<float> logits, std::span<const int> history, double penalty);

// The candidates that pick() draws from, in the order of their ids, with their probabilities.
struct Candidate {
  int id = 0;
  double probability = 0;
};
std::vector<Candidate> candidates(std::span<const float> logits, std::span<const int> history,
                                  const SamplingOptions& options);

}  // namespace jogak
