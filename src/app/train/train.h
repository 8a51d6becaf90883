// `jogak train`: a recipe becomes a trained model.
#pragma once

#include <atomic>
#include <string>

#include "app/train/recipe.h"
#include "base/lang.h"

namespace jogak {

struct TrainCommand {
  Recipe recipe;
  std::string out;
  bool resume = false;
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
  bool quiet = false;  // no lines about what is being done
};

// {"schema","step","train_loss","valid_loss","best_loss","tokens_per_s","peak_rss_mb","end"}; end
// is "finished", "early" or "stopped".
Json run_training(const TrainCommand& command);

// {"schema","parameters","tokens_per_step","recompute","tensors_mb","predicted_peak_mb",
// "recomputed_peak_mb","kept_peak_mb"} without training; the last two with every block recomputed
// and with none, whatever the recipe says.
Json predict_training(const TrainCommand& command);

}  // namespace jogak
