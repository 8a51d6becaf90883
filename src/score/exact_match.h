// How many answers are exactly right.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace jogak {

struct ExactMatch {
  int64_t lines = 0, right = 0;
  double score() const {
    return lines ? static_cast<double>(right) / static_cast<double>(lines) : 0;
  }
};

// Byte by byte, spaces included; what should be forgiven is taken away before.
ExactMatch exact_match(std::span<const std::string> found, std::span<const std::string> wanted);

}  // namespace jogak
