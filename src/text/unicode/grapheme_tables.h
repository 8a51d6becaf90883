// Which characters stay together in a grapheme cluster, as the reference sees it (generated data).
#pragma once

#include <cstddef>
#include <cstdint>

namespace jogak::text {

extern const uint32_t kClusterRuns[];  // code point * 128 + classes, ascending
extern const size_t kClusterRunCount;

}  // namespace jogak::text
