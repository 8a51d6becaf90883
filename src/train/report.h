// What a trainer says while it runs: metrics, the progress line, warnings.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/progress.h"
#include "train/metrics.h"
#include "train/options.h"
#include "train/state.h"

namespace jogak {

class Report {
 public:
  // In a process that is not the first it is silent and only counts.
  Report(const TrainOptions& options, bool of_tokens, const TrainState& start, bool is_first);

  void step(TrainState& state, const StepResult& result, double rate);
  void skipped(const TrainState& state, const std::string& why);
  void validation(const TrainState& state, const std::string& score_name);
  void average(const TrainState& state, const std::string& score_name, size_t checkpoints);
  TrainResult result(const TrainState& state, TrainEnd end);

  class Clock {  // measures one step: validation and saving do not count as training
   public:
    explicit Clock(Report& report) : report_(report) {}
    ~Clock();

   private:
    Report& report_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

 private:
  double speed(int64_t tokens, int64_t steps, double seconds) const;  // a second
  void line(TrainState& state, const StepResult& result, double rate);
  ProgressFields fields(double rate, double norm) const;

  const int64_t steps_, batch_, log_every_;
  const bool of_tokens_;
  const Lang lang_;
  std::optional<Metrics> metrics_;      // empty: another process writes them
  std::unique_ptr<Progress> progress_;  // null: not wanted
  double seconds_ = 0, window_seconds_ = 0;
  int64_t tokens_ = 0, window_tokens_ = 0;  // of this process
  int64_t taken_ = 0, window_taken_ = 0;    // steps of this process
  double loss_ = 0, line_loss_;             // of the last steps, and of the last line
  double valid_loss_;
};

}  // namespace jogak
