// What a head does, measured: how much it looks at the token before, at the next, at the first, at
// equal tokens, at what followed an equal token; how spread out and how far it looks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "draw/matrix.h"

namespace jogak {

// Means over the queries that can look so; NaN where none can. Shares of the attention, 0 to 1.
struct HeadStats {
  double previous, next, first, itself;
  double same;        // elsewhere, but the same token
  double induction;   // at what stood behind an earlier token equal to this one
  double entropy;     // in bits; log2 of the keys is an even spread
  double distance;    // mean of |query - key|
  std::string looks;  // "previous", "first", ..: what got most, from a half on; else "spread"
};

// weights [queries, keys]; rows that see nothing are passed over. `tokens` are the ids of both, or
// empty: then nothing is known of equal tokens. Of attention to another sequence (`across`) only
// first, entropy and distance are measured.
HeadStats head_stats(const Matrix& weights, std::span<const int64_t> tokens, bool across);

}  // namespace jogak
