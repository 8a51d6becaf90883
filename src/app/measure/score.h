// `jogak eval --hypotheses`: scores of files, without a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "score/translation.h"

namespace jogak {

struct BleuSettings {                       // by sacrebleu's names
  std::string tokenize = "13a";             // 13a, char, none
  std::string smooth = "exp";               // exp, floor, add-k, none
  std::optional<double> smooth_value = {};  // of floor and add-k; none: 0.1 and 1
  bool lowercase = false;
};
BleuOptions bleu_options(const BleuSettings& settings);  // UsageError

class LongLines;
struct ScoreOptions {
  std::string hypotheses;               // a file, one sentence a line
  std::vector<std::string> references;  // one file or several, as many lines each
  BleuSettings bleu = {};
  int64_t resamples = 0;         // of the confidence interval; 0: none
  uint64_t seed = 12345;         // of the resamples
  LongLines* longest = nullptr;  // longer lines are left out, and it knows them
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
