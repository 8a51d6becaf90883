// What a training run is asked to do, and what it says in the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "base/lang.h"
#include "train/optimizer.h"
#include "train/reducer.h"
#include "train/schedule.h"
#include "train/step.h"

namespace jogak {

struct TrainOptions {
  std::string out;      // the run directory
  bool resume = false;  // from the newest checkpoint in it; from the start when there is none
  int64_t steps = 1000;
  int64_t batch = 8;       // examples of a step
  int64_t accumulate = 1;  // micro-batches they are cut into, to save memory
  bool recompute = false;  // keep of each block its input alone; the result does not depend on it
  double clip = 1;         // largest norm of the gradient; 0: any
  OptimizerOptions optimizer;
  ScheduleOptions schedule;      // its steps are those above when it says 0
  int64_t eval_every = 0;        // validation; 0: after the last step only
  int64_t checkpoint_every = 0;  // 0: after the last step only
  int64_t keep = 2;              // newest checkpoints that stay
  int64_t patience = 0;          // validations without a better one before training ends; 0: off
  int64_t log_every = 10;        // steps to a line of metrics
  // After the last step the mean of this many newest checkpoints is tried, and kept as the model
  // where it validates better; 0 or 1: not.
  int64_t average = 0;
  uint64_t seed = 1;  // of the order of examples and of dropout

  const std::atomic<bool>* stop = nullptr;  // set it, and the run saves and returns
  GradientReducer* reducer = nullptr;       // null: one process
  bool progress = true;                     // the line on stderr, of the first process
  Lang lang = Lang::en;
  std::function<void()> on_begin;  // once the directory is locked for this run
  std::function<void(int64_t step, const StepResult&)> on_step;  // after every step
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
  bool averaged = false;    // the model is a mean of checkpoints
  double tokens_per_s = 0;  // of this process's steps
  int64_t skipped = 0;      // steps without an update, see StepResult::bad
  std::string checkpoint;   // the newest one's directory
};

}  // namespace jogak
