// What a training run is asked to do, and what it says in the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "base/lang.h"
#include "train/learn_options.h"

namespace jogak {

class ProcessGroup;
struct StepResult;

struct TrainOptions : LearnOptions {
  std::string out;      // the run directory
  bool resume = false;  // from the newest checkpoint in it; from the start when there is none
  bool accept_changes = false;  // resume although the run learns from something else than before

  const std::atomic<bool>* stop = nullptr;  // set it, and the run saves and returns
  ProcessGroup* group = nullptr;            // null: one process
  bool progress = true;                     // the line on stderr, of the first process
  Lang lang = Lang::en;
  std::function<void()> on_begin = {};  // once the directory is locked for this run
  std::function<void(int64_t step, const StepResult&)> on_step = {};  // after every step
};

enum class TrainEnd : uint8_t {
  finished,  // all steps done
  early,     // patience ran out
  stopped,   // by the stop flag; the last checkpoint is of this very step
};

struct TrainResult {
  TrainEnd end = TrainEnd::finished;
  int64_t step = 0;
  double train_loss = std::numeric_limits<double>::quiet_NaN();  // of the last line of metrics
  double valid_loss = std::numeric_limits<double>::quiet_NaN();  // the last
  double best_loss = std::numeric_limits<double>::quiet_NaN();   // and the lowest one
  int64_t best_step = 0;
  double best_score = std::numeric_limits<double>::quiet_NaN();  // of task.score, at best_step
  bool averaged = false;                        // the model is a mean of checkpoints
  double tokens_per_s = 0, examples_per_s = 0;  // of this process's steps
  int64_t skipped = 0;                          // steps without an update, see StepResult::bad
  std::string checkpoint;                       // the newest one's directory
};

}  // namespace jogak
