#include "score/chrf.h"

#include <algorithm>

#include "base/error.h"
#include "base/lowercase.h"
#include "base/version.h"
#include "score/bleu_tokens.h"
#include "score/bootstrap.h"
#include "score/ngrams.h"

namespace jogak {
namespace {

std::vector<uint32_t> symbols_of(std::string_view line, bool lower) {
  const std::string small = lower ? lowercase(line) : std::string();
  std::vector<uint32_t> out = visible_characters(lower ? small : line);
  for (uint32_t& symbol : out) ++symbol;  // 0 fills up short n-grams
  return out;
}

int64_t grams_in(const std::vector<uint32_t>& symbols, size_t order) {
  return symbols.size() < order ? 0 : static_cast<int64_t>(symbols.size() - order + 1);
}

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  for (size_t n = 0; n < kChrfOrder; ++n) {
    found[n] += other.found[n];
    wanted[n] += other.wanted[n];
    matches[n] += other.matches[n];
  }
  return *this;
}

ChrfCounts chrf_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                       bool lower) {
  ensure<Error>(!references.empty(), "chrF without a reference");
  const std::vector<uint32_t> found = symbols_of(hypothesis, lower);
  std::vector<std::vector<uint32_t>> wanted;
  for (const std::string_view reference : references)
    wanted.push_back(symbols_of(reference, lower));
  std::vector<ChrfCounts> counts(wanted.size());
  size_t parts = gram_parts(found.size());
  for (const auto& reference : wanted) parts = std::max(parts, gram_parts(reference.size()));
  for (size_t n = 0; n < kChrfOrder; ++n) {
    for (size_t r = 0; r < wanted.size(); ++r) {
      counts[r].wanted[n] = grams_in(wanted[r], n + 1);
      // A reference too short for this order says nothing about the hypothesis.
      counts[r].found[n] = counts[r].wanted[n] > 0 ? grams_in(found, n + 1) : 0;
    }
    for (size_t part = 0; part < parts; ++part) {
      const auto here = count_grams<kChrfOrder>(found, n + 1, {part, parts});
      for (size_t r = 0; r < wanted.size(); ++r)
        walk_grams(here, count_grams<kChrfOrder>(wanted[r], n + 1, {part, parts}),
                   [&](const auto&, int64_t in_found, int64_t in_wanted) {
                     counts[r].matches[n] += std::min(in_found, in_wanted);
                   });
    }
  }
  return *std::max_element(  // the first of those that are as good
      counts.begin(), counts.end(),
      [](const ChrfCounts& a, const ChrfCounts& b) { return chrf(a) < chrf(b); });
}

double chrf(const ChrfCounts& corpus) {
  constexpr double kBeta2 = 4;  // recall counts twice as much
  double precision = 0, recall = 0;
  int orders = 0;
  for (size_t n = 0; n < kChrfOrder; ++n) {
    if (corpus.found[n] == 0 || corpus.wanted[n] == 0) continue;
    const auto matches = static_cast<double>(corpus.matches[n]);
    precision += matches / static_cast<double>(corpus.found[n]);
    recall += matches / static_cast<double>(corpus.wanted[n]);
    ++orders;
  }
  if (orders == 0 || precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  // In this order: where two references score the same, rounding decides which one is the best.
  const double score = (1 + kBeta2) * precision * recall / (kBeta2 * precision + recall);
  return 100 * score;
}

std::string chrf_signature(bool lower, size_t references, const Bootstrap& bootstrap) {
  return text_of("nrefs:", references, bootstrap_signature(bootstrap),
                 "|case:", lower ? "lc" : "mixed", "|eff:yes|nc:", kChrfOrder, "|nw:0|space:no",
                 "|version:jogak-", kVersion);
}

}  // namespace jogak
