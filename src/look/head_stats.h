// What a head does, measured from its weights.
#pragma once

#include <cstdint>
#include <span>

#include "base/head_name.h"
#include "draw/matrix.h"

namespace jogak {

// weights [queries, keys]; rows that see nothing are passed over. `tokens` are the ids of both, or
// empty: then nothing is known of equal tokens. Of attention to another sequence (`across`) only
// first, entropy and distance are measured.
HeadMeasures head_stats(const Matrix& weights, std::span<const int64_t> tokens, bool across);

}  // namespace jogak
