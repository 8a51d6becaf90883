// A file of some hundred bytes can ask for steps that double a text again and again. What they make
// of it may be many times as long, but not without limit.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/error.h"

namespace jogak::text {

inline constexpr size_t most_grown(size_t from) { return (size_t{1} << 16) + 256 * from; }

// `what` opens the message.
inline void limit_growth(std::string_view what, size_t from, size_t to) {
  ensure<FormatError>(to <= most_grown(from), what, ": the tokenizer makes more than ",
                      most_grown(from), " bytes of ", from, ": too many");
}

}  // namespace jogak::text
