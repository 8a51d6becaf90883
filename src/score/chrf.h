// chrF2 (Popović, 2015) as sacrebleu counts it: the F score of character n-grams of order 1 to 6,
// recall counting twice as much as precision, white space left out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace jogak {

inline constexpr size_t kChrfOrder = 6;

// What one line, or a sum of lines, adds to the score: n-grams by order.
struct ChrfCounts {
  std::array<int64_t, kChrfOrder> found{}, wanted{}, matches{};

  ChrfCounts& operator+=(const ChrfCounts& other);
};

// Against the reference of the line that gives the best score.
ChrfCounts chrf_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                       bool lowercase);

double chrf(const ChrfCounts& corpus);  // 0 to 100

// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:jogak-0.1.0"
struct Bootstrap;
std::string chrf_signature(bool lowercase, size_t references, const Bootstrap& bootstrap);

}  // namespace jogak
