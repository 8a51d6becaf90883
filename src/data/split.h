// Which side of generated data an example belongs to.
#pragma once

#include <cstdint>

#include "base/random.h"

namespace jogak {

enum class Split { train, held_out };

// One thing in ten, chosen by (seed, key) alone: whoever makes the data, in whatever order.
inline bool is_held_out(uint64_t seed, uint64_t key) {
  constexpr uint64_t kStream = 0x68656C64;
  return philox(seed, kStream, key)[0] % 10 == 0;
}

// The random numbers an example list of this side is drawn from.
inline Rng rng_for(uint64_t seed, Split split) {
  return Rng(seed, 0x6D616B65).split(static_cast<uint64_t>(split));
}

}  // namespace jogak
