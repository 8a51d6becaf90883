// Many normal numbers at once: the bits of Rng::normal(), rounded to f32, several times as fast.
#pragma once

#include <span>

#include "base/random.h"

namespace jogak {

void fill_normal(Rng rng, std::span<float> out);

namespace detail {
// The first numbers of `out`, a multiple of four; how many. 0 where the machine cannot, or where
// the stream does not stand at a block's beginning.
size_t fill_normal_fast(const Rng& rng, std::span<float> out);
}  // namespace detail

}  // namespace jogak
