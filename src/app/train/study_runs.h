// The runs of a study: one after the other in this process, or several at a time as programs of
// their own. A result is a file beside the run's directory, so that a study that was killed knows
// what is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "app/train/recipe.h"
#include "base/lang.h"

namespace jogak {

struct StudyRun {
  std::string title;  // "train.off=mask, seed 2"
  std::string path;   // OUT/variant-1-seed-2: the run's directory
  Recipe recipe;
  Json result = {};  // what `jogak train --json` says in the end, or {"error": ...}

  std::string recipe_file() const { return path + ".toml"; }
  std::string result_file() const { return path + ".json"; }
  std::string command() const;  // that repeats it
};

struct StudyWork {
  std::string program = {};  // empty: in this process
  int64_t jobs = 1;
  bool resume = false, overwrite = false;
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
};

// Fills in every result. Stopped where the user asked for it, once the runs have saved.
void train_runs(std::vector<StudyRun>& runs, const StudyWork& how);

}  // namespace jogak
