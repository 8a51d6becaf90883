// Scores of a whole translation: BLEU and chrF with their signatures and confidence intervals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "score/bleu.h"
#include "score/bootstrap.h"
#include "score/chrf.h"

namespace jogak {

struct TranslationOptions {
  BleuOptions bleu = {};  // its `lowercase` is chrF's too
  Bootstrap bootstrap = {};
};

struct TranslationScore {
  BleuScore bleu;
  double chrf = 0;
  int64_t lines = 0;
  std::string signature, chrf_signature;
  std::optional<Interval> bleu_interval, chrf_interval;  // with options.bootstrap

  // The lines people quote:
  // BLEU|nrefs:1|case:mixed|...  = 37.12 (μ = 37.10 ± 0.84) 68.1/44.2/... (BP = 1.000 ratio = ...)
  std::string bleu_line() const;
  std::string chrf_line() const;
};

// One string a line. `references` holds one or several whole translations of the same text, each as
// long as the hypotheses. Error when the numbers differ or there are no lines.
TranslationScore score_translations(const std::vector<std::string>& hypotheses,
                                    const std::vector<std::vector<std::string>>& references,
                                    const TranslationOptions& options = {});

}  // namespace jogak
