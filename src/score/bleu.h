// BLEU (Papineni et al., 2002) as sacrebleu counts it: clipped n-grams of order 1 to 4 over a whole
// corpus, their geometric mean, and a penalty for being short.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "score/bleu_tokens.h"

namespace jogak {

// What stands in for an order without a match.
enum class BleuSmooth : uint8_t { exp, floor, add_k, none };

BleuSmooth parse_bleu_smooth(std::string_view name);  // "exp", "floor", "add-k", "none"

struct BleuOptions {
  BleuTokens tokens = BleuTokens::t13a;
  BleuSmooth smooth = BleuSmooth::exp;
  std::optional<double> smooth_value = {};  // of floor (0.1 unless given) and add-k (1)
  bool lowercase = false;
};

// What one line, or a sum of lines, adds to the score.
struct BleuCounts {
  int64_t length = 0, reference_length = 0;  // of the reference nearest in length
  std::array<int64_t, 4> matches{}, totals{};

  BleuCounts& operator+=(const BleuCounts& other);
};

struct BleuScore {
  double score = 0;  // 0 to 100
  std::array<double, 4> precisions{};
  double brevity_penalty = 1;
  BleuCounts counts;
};

// The references of one line, one or several.
BleuCounts bleu_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                       const BleuOptions& options);

BleuScore bleu(const BleuCounts& corpus, const BleuOptions& options);

// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:jogak-0.1.0"
struct Bootstrap;
std::string bleu_signature(const BleuOptions& options, size_t references,
                           const Bootstrap& bootstrap);

}  // namespace jogak
