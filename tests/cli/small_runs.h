// Small training runs on generated data, one of each family, and what must be the same at their
// end however they got there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

struct SmallRun {
  std::string family, recipe;
};

inline constexpr int64_t kSmallSteps = 6;  // each ends with a checkpoint
std::vector<SmallRun> small_runs(int64_t width = 16);

// The committed checkpoints of a run, by step.
std::vector<int64_t> committed_steps(const std::string& run);

// Loads every committed checkpoint, which verifies every byte; throws at the first bad one.
void load_checkpoints(const std::string& run);

// SHA-256 of weights and optimizer of the newest checkpoint, its state, SHA-256 of the model, and
// the metrics but for the time they took.
std::string outcome(const std::string& run);

}  // namespace jogak
