// Where a run stands between two steps: all that is needed to go on as if it had never stopped,
// beside weights and optimizer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/sampler.h"
#include "train/task.h"

namespace jogak {

inline constexpr int64_t kStateSchema = 1;

struct TrainState {
  int64_t step = 0;  // steps done; with the seed it is the whole random state
  uint64_t seed = 0;
  int64_t processes = 1;  // that took the last step; any number may go on
  std::string config_hash;
  std::string isa;  // instruction set of the last step
  RunInputs inputs;
  // Inputs that were others from a step on, because the user wanted it so.
  struct Change {
    int64_t step = 0;
    std::string what;
  };
  std::vector<Change> accepted = {};

  int64_t examples = 0;  // of an epoch
  Sampler::Position position;

  std::string optimizer;  // its kind
  int64_t updates = 0;    // steps that were not skipped

  int64_t validated_step = 0;  // the last step after which validation ran; 0: none yet
  double valid_loss = 0;       // what it gave
  int64_t best_step = 0;       // 0: none yet
  double best_loss = 0;
  double valid_score = 0, best_score = 0;  // of TrainTask::score, where there is one
  bool averaged = false;                   // the best weights are a mean of checkpoints
  int64_t worse_in_row = 0;                // validations since the best one

  int64_t skipped = 0, skipped_in_row = 0;
  std::string first_bad;  // what began the present row of skipped steps

  double window_loss = 0;  // since the last line of metrics: sum of losses, and of tokens
  int64_t window_tokens = 0;
};

Json to_json(const TrainState& state);
TrainState read_state(const Json& json, const std::string& file);  // FormatError

}  // namespace jogak
