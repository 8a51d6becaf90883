// From the scores of all tokens, changed by the rules (score_rules.h), to the next token. What the
// filters keep and their order are those of transformers: temperature, top-h, top-k, top-p, min-p,
// typical-p, epsilon, eta.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "generate/generated.h"
#include "generate/options.h"

namespace jogak {

// Of equals the lowest id wins. One number is drawn from `rng`, none at temperature 0. A score that
// is NaN or +infinity is an Error; -infinity marks a token that cannot come.
int pick(std::span<const float> scores, const SamplingOptions& options, Rng& rng);

// The candidates that pick() draws from, in the order of their ids, with their probabilities.
std::vector<Candidate> candidates(std::span<const float> scores, const SamplingOptions& options);

// The `count` likeliest of them, best first. At temperature 0 there is one candidate; what it was
// the best of says more.
std::vector<Candidate> shown(std::span<const float> scores, const SamplingOptions& options,
                             size_t count);

}  // namespace jogak
