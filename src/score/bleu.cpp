#include "score/bleu.h"

#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "base/error.h"
#include "base/format.h"
#include "base/lowercase.h"
#include "base/terminal.h"
#include "base/version.h"
#include "score/bootstrap.h"
#include "score/ngrams.h"

namespace jogak {
namespace {

using BleuGrams = std::vector<GramCount<4>>;

// Numbers for words, from 1: the same word, the same number.
class Numbers {
 public:
  std::vector<uint32_t> of(std::string_view line, const BleuOptions& options) {
    const std::string lower = options.lowercase ? lowercase(line) : std::string();
    std::vector<uint32_t> out;
    each_bleu_token(options.lowercase ? lower : line, options.tokens, [&](std::string_view word) {
      const auto next = static_cast<uint32_t>(numbers_.size()) + 1;
      out.push_back(numbers_.try_emplace(std::string(word), next).first->second);
    });
    return out;
  }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
};

BleuGrams most_of(const BleuGrams& a, const BleuGrams& b) {
  BleuGrams out;
  walk_grams(a, b, [&](const auto& gram, int64_t in_a, int64_t in_b) {
    out.push_back({gram, std::max(in_a, in_b)});
  });
  return out;
}

// The shorter one where two are equally near.
int64_t nearest_length(int64_t length, const std::vector<std::vector<uint32_t>>& references) {
  int64_t best = -1;
  for (const auto& reference : references) {
    const auto other = static_cast<int64_t>(reference.size());
    const int64_t gap = std::abs(other - length), best_gap = std::abs(best - length);
    if (best < 0 || gap < best_gap || (gap == best_gap && other < best)) best = other;
  }
  return best;
}

double smooth_value(const BleuOptions& options) {
  return options.smooth_value.value_or(options.smooth == BleuSmooth::floor ? 0.1 : 1.0);
}

const char* name_of(BleuSmooth smooth) {
  switch (smooth) {
    case BleuSmooth::exp: return "exp";
    case BleuSmooth::floor: return "floor";
    case BleuSmooth::add_k: return "add-k";
    case BleuSmooth::none: return "none";
  }
  return "";
}

}  // namespace

BleuSmooth parse_bleu_smooth(std::string_view name) {
  for (const BleuSmooth one :
       {BleuSmooth::exp, BleuSmooth::floor, BleuSmooth::add_k, BleuSmooth::none})
    if (name == name_of(one)) return one;
  fail<UsageError>("found the smoothing ", quoted(name), ", wanted exp, floor, add-k or none");
}

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  length += other.length;
  reference_length += other.reference_length;
  for (size_t n = 0; n < 4; ++n) {
    matches[n] += other.matches[n];
    totals[n] += other.totals[n];
  }
  return *this;
}

BleuCounts bleu_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                       const BleuOptions& options) {
  ensure<Error>(!references.empty(), "BLEU without a reference");
  Numbers numbers;
  const std::vector<uint32_t> found = numbers.of(hypothesis, options);
  std::vector<std::vector<uint32_t>> wanted;
  for (const std::string_view reference : references)
    wanted.push_back(numbers.of(reference, options));
  BleuCounts out;
  out.length = static_cast<int64_t>(found.size());
  out.reference_length = nearest_length(out.length, wanted);
  size_t parts = gram_parts(found.size());
  for (const auto& reference : wanted) parts = std::max(parts, gram_parts(reference.size()));
  for (size_t n = 0; n < 4; ++n)
    for (size_t part = 0; part < parts; ++part) {
      BleuGrams allowed;
      for (const auto& reference : wanted)
        allowed = most_of(allowed, count_grams<4>(reference, n + 1, {part, parts}));
      walk_grams(count_grams<4>(found, n + 1, {part, parts}), allowed,
                 [&](const auto&, int64_t here, int64_t there) {
                   out.totals[n] += here;
                   out.matches[n] += std::min(here, there);
                 });
    }
  return out;
}

BleuScore bleu(const BleuCounts& corpus, const BleuOptions& options) {
  BleuScore out;
  out.counts = corpus;
  if (corpus.length < corpus.reference_length)
    out.brevity_penalty = corpus.length > 0
                              ? std::exp(1 - static_cast<double>(corpus.reference_length) /
                                                 static_cast<double>(corpus.length))
                              : 0;
  if (corpus.matches == std::array<int64_t, 4>{}) return out;
  double halved = 1, logs = 0;  // halved: again for every order without a match
  for (size_t n = 0; n < 4; ++n) {
    const double more = options.smooth == BleuSmooth::add_k && n > 0 ? smooth_value(options) : 0;
    const double matches = static_cast<double>(corpus.matches[n]) + more;
    const double total = static_cast<double>(corpus.totals[n]) + more;
    if (total == 0) break;
    double& precision = out.precisions[n];
    if (matches > 0)
      precision = 100 * matches / total;
    else if (options.smooth == BleuSmooth::exp)
      precision = 100 / ((halved *= 2) * total);
    else if (options.smooth == BleuSmooth::floor)
      precision = 100 * smooth_value(options) / total;
  }
  for (const double precision : out.precisions) {
    if (precision == 0) return out;  // the geometric mean with a 0
    logs += std::log(precision);
  }
  out.score = out.brevity_penalty * std::exp(logs / 4);
  return out;
}

std::string bleu_signature(const BleuOptions& options, size_t references,
                           const Bootstrap& bootstrap) {
  std::string smooth = name_of(options.smooth);
  if (options.smooth == BleuSmooth::floor || options.smooth == BleuSmooth::add_k)
    smooth += "[" + fixed(smooth_value(options), 2) + "]";
  return text_of("nrefs:", references, bootstrap_signature(bootstrap),
                 "|case:", options.lowercase ? "lc" : "mixed",
                 "|eff:no|tok:", name_of(options.tokens), "|smooth:", smooth, "|version:jogak-",
                 kVersion);
}

}  // namespace jogak
