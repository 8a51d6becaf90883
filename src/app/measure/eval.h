// `jogak eval`: how well a model does on data.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/score.h"
#include "base/json.h"
#include "base/lang.h"
#include "score/exact_match.h"

namespace jogak {

struct EvalCommand {
  std::string directory;
  std::string data;           // a file; or empty with `make`
  std::string make;           // held-out generated data: dates, sort, shapes, series
  int64_t count = 500;        // generated lines
  uint64_t seed = 1;          // of generated data
  std::string kind = "text";  // text, or lines with a separator
  std::string separator = " = ";
  int64_t batch = 16;
  std::string dtype = "auto";  // of the weights: auto, f32 or bf16
  double from = 0;             // share of a text's characters to leave out at the start
  // of a translation model
  std::string source, target;            // two files, line by line; or a TSV as `data`
  int beams = 0;                         // 0: as the model says
  std::optional<double> length_penalty;  // none: as the model says
  BleuSettings bleu = {};
  int64_t bootstrap = 0;  // resamples of the confidence interval
  // of a classifier
  std::string text_column = "text", label_column = "label";
  std::string labels;  // of an IDX file; empty: by its name
  // of a forecast
  std::string date_column = "date", series;
  std::string part = "test";  // train, valid or test, with the borders of its training
  double mask_share = 0.15;   // of a masked model
  Lang lang = Lang::en;
  const std::atomic<bool>* stop = nullptr;
};

// {"schema","loss","perplexity","tokens"}; for lines also {"exact_match","lines"}: the share whose
// greedy completion is the answer, character for character. For a translation model
// {"schema","loss","perplexity","tokens","bleu","chrf","signature","exact_match",..}; for a masked
// model {"schema","loss","perplexity","tokens"}; for a classifier {"schema","loss","accuracy","f1",
// "examples"}; for a forecast, over every window of the part, {"schema","mse","mae","windows",..}
// beside the errors of repeating the last value, {"mse_repeat","mae_repeat"}.
Json evaluate(const EvalCommand& command);

// Greedy completions of "prompt = " for each line, 64 at a time; `seen` is told how many are done.
struct Completion {
  std::string prompt, answer, got;
  bool exact() const { return got == answer; }
};
ExactMatch count_exact(const std::vector<Completion>& completions);
struct Model;
class Tokenizer;
Json evaluate_pairs(const EvalCommand& command, const Model& model);
Json evaluate_encoder(const EvalCommand& command, const Model& model);
std::vector<Completion> complete_lines(const Model& model, const Tokenizer& tokenizer,
                                       const std::vector<std::string>& lines,
                                       const std::string& separator,
                                       const std::atomic<bool>* stop = nullptr);

}  // namespace jogak
