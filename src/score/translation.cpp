#include "score/translation.h"

#include "base/error.h"
#include "base/format.h"
#include "base/parallel.h"

namespace jogak {
namespace {

template <class Counts>
Counts sum_of(const std::vector<Counts>& lines) {
  Counts out;
  for (const Counts& line : lines) out += line;
  return out;
}

template <class Counts, class Score>
std::optional<Interval> interval(const std::vector<Counts>& lines, const Bootstrap& options,
                                 Score score) {
  if (options.resamples == 0) return std::nullopt;
  return bootstrap_interval(static_cast<int64_t>(lines.size()), options,
                            [&](std::span<const int64_t> drawn) {
                              Counts sum;
                              for (const int64_t i : drawn) sum += lines[static_cast<size_t>(i)];
                              return score(sum);
                            });
}

std::string quoted_score(double score, const std::optional<Interval>& spread) {
  if (!spread) return fixed(score, 2);
  return text_of(fixed(score, 2), " (μ = ", fixed(spread->mean, 2), " ± ",
                 fixed(spread->half_width, 2), ")");
}

}  // namespace

std::string TranslationScore::bleu_line() const {
  const BleuCounts& c = bleu.counts;
  const double ratio = c.reference_length > 0
                           ? static_cast<double>(c.length) / static_cast<double>(c.reference_length)
                           : 0;
  std::string precisions;
  for (const double p : bleu.precisions)
    precisions += (precisions.empty() ? "" : "/") + fixed(p, 1);
  return text_of("BLEU|", signature, " = ", quoted_score(bleu.score, bleu_interval), " ",
                 precisions, " (BP = ", fixed(bleu.brevity_penalty, 3),
                 " ratio = ", fixed(ratio, 3), " hyp_len = ", c.length,
                 " ref_len = ", c.reference_length, ")");
}

std::string TranslationScore::chrf_line() const {
  return text_of("chrF2|", chrf_signature, " = ", quoted_score(chrf, chrf_interval));
}

TranslationScore score_translations(const std::vector<std::string>& hypotheses,
                                    const std::vector<std::vector<std::string>>& references,
                                    const TranslationOptions& options) {
  const size_t lines = hypotheses.size();
  ensure<Error>(lines > 0, "a translation without lines cannot be scored");
  ensure<Error>(!references.empty(), "a translation without a reference cannot be scored");
  for (const auto& reference : references)
    ensure<Error>(reference.size() == lines, "found ", lines, " lines of translation and ",
                  reference.size(), " of reference, wanted as many of both");
  std::vector<BleuCounts> bleu_lines(lines);
  std::vector<ChrfCounts> chrf_lines(lines);
  parallel_for(static_cast<int64_t>(lines), 16, [&](int64_t begin, int64_t end) {
    std::vector<std::string_view> wanted(references.size());
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      for (size_t r = 0; r < references.size(); ++r) wanted[r] = references[r][i];
      bleu_lines[i] = bleu_counts(hypotheses[i], wanted, options.bleu);
      chrf_lines[i] = chrf_counts(hypotheses[i], wanted, options.bleu.lowercase);
    }
  });
  TranslationScore out;
  out.lines = static_cast<int64_t>(lines);
  out.bleu = bleu(sum_of(bleu_lines), options.bleu);
  out.chrf = chrf(sum_of(chrf_lines));
  out.signature = bleu_signature(options.bleu, references.size(), options.bootstrap);
  out.chrf_signature = chrf_signature(options.bleu.lowercase, references.size(), options.bootstrap);
  out.bleu_interval = interval(bleu_lines, options.bootstrap, [&](const BleuCounts& sum) {
    return bleu(sum, options.bleu).score;
  });
  out.chrf_interval = interval(chrf_lines, options.bootstrap, chrf);
  return out;
}

}  // namespace jogak
