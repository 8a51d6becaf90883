// `jogak eval`: how well a model does on data.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "app/measure/eval_result.h"
#include "app/measure/score.h"
#include "base/lang.h"

namespace jogak {

struct Model;
class LongLines;
class Probe;

struct EvalOptions {
  std::string directory;
  std::string data;     // a file; or empty with `make`
  std::string make;     // held-out generated data: dates, sort, shapes, series
  int64_t count = 500;  // generated lines
  uint64_t seed = 1;    // of generated data
  // What is not given here and in the columns below is as the model was trained with.
  std::optional<std::string> kind = {};  // text, or lines with a separator
  std::optional<std::string> separator = {};
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
  std::optional<std::string> text_column = {}, label_column = {}, image_column = {};
  std::string labels;  // of an IDX file; empty: by its name
  // of a forecast
  std::optional<std::string> date_column = {}, series = {};
  std::string part = "test";              // train, valid or test, with the borders of its training
  std::optional<double> mask_share = {};  // of a masked model
  LongLines* longest = nullptr;           // longer lines are left out, and it knows them
  Lang lang = Lang::en;
  const std::atomic<bool>* stop = nullptr;
  Probe* probe = nullptr;  // what every pass carries: parts switched off
  bool loss_only = false;  // nothing is written or translated
  int64_t most = 0;        // of windows, lines, images or pairs the first so many; 0: all
  std::string title = {};  // of the progress; empty: evaluating
};

double loss_of(const EvalResult& result);  // of series the squared error

// Opens the model and the data and scores one on the other.
EvalResult evaluate(const EvalOptions& options);
// The same of a model that is open: the directory's.
EvalResult evaluate(const Model& model, const EvalOptions& options);

}  // namespace jogak
