// `jogak train`: a recipe becomes a trained model.
#pragma once

#include <optional>
#include <string>

#include "app/train/prediction.h"
#include "app/train/train_request.h"
#include "base/json.h"
#include "train/options.h"

namespace jogak {

struct TrainSummary {
  TrainEnd end = TrainEnd::finished;
  int64_t step = 0;
  double train_loss = 0, valid_loss = 0, best_loss = 0;  // NaN: not measured
  std::optional<double> whole_loss = {};  // with every part on again that training did without
  std::string score_name;                 // of train.metric: "bleu"; empty: the loss decided
  double best_score = 0;
  std::optional<bool> averaged = {};  // with train.average: whether the mean was better
  double tokens_per_s = 0;
  std::optional<double> examples_per_s = {};  // where losses are of examples, not of tokens
  double peak_rss_mb = 0;
  std::string out = {};  // where the run is: beside what it was to replace when it was stopped
};

// OutOfMemory before the first step where the memory that is free will not do.
TrainSummary run_training(const TrainRequest& request);
// {"schema","step","train_loss","valid_loss","best_loss","tokens_per_s","peak_rss_mb","end"}; end
// is "finished", "early" or "stopped".
Json to_json(const TrainSummary& summary);

// Without training; of each of `processes`.
TrainPrediction predict_training(const TrainRequest& request, int64_t processes = 1);

}  // namespace jogak
