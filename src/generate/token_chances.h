// How likely tokens were, by the scores before them.
#pragma once

#include <span>

#include "generate/generated.h"

namespace jogak {

// Of the token that came, and of the `best` likeliest, best first; of equals the lowest id. The sum
// is taken in double and in order, so that the same scores always give the same floats.
TokenChances chances_in(std::span<const float> scores, int chosen, size_t best);

}  // namespace jogak
