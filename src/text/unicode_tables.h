// What the reference calls a letter, a number, a space and a word character (generated data).
#pragma once

#include <cstddef>
#include <cstdint>

namespace jogak::text {

extern const uint32_t kClassRuns[];  // code point * 16 + classes, ascending
extern const size_t kClassRunCount;

}  // namespace jogak::text
