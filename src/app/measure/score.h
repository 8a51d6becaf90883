// `jogak eval --hypotheses`: scores of files, without a model.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "score/translation.h"

namespace jogak {

struct ScoreOptions {
  std::string hypotheses;               // a file, one sentence a line
  std::vector<std::string> references;  // one file or several, as many lines each
  std::string tokenize = "13a";         // 13a, char, none
  bool lowercase = false;
  int64_t resamples = 0;  // of the confidence interval; 0: none
  uint64_t seed = 12345;  // of the resamples
};

TranslationScore score_files(const ScoreOptions& options);

// {"schema","bleu","chrf","signature","chrf_signature","lines","precisions","brevity_penalty",
// "length","reference_length"}, with an interval also {"bleu_mean","bleu_half_width","chrf_mean",
// "chrf_half_width"}.
Json to_json(const TranslationScore& score);

// By "bleu", "chrf" or "exact", each from 0 to 100; `tokenize` is BLEU's.
double score_by(const std::string& metric, const std::string& tokenize,
                const std::vector<std::string>& found, const std::vector<std::string>& wanted);

}  // namespace jogak
