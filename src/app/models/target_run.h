// The directory of a training run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/models/target.h"
#include "base/stop.h"

namespace jogak {

// A fresh run is trained in place, so that it can be resumed wherever it stops; one that replaces
// something is trained beside it, in PATH.new.
class TargetRun {
 public:
  // UsageError, naming what is there, unless the run is resumed or overwrites; a directory that
  // holds a run without a checkpoint may begin again.
  TargetRun(Target target, bool resume);
  ~TargetRun();  // a run that failed before its first checkpoint leaves nothing behind
  TargetRun(const TargetRun&) = delete;
  TargetRun& operator=(const TargetRun&) = delete;

  const std::string& path() const { return path_; }  // where to train
  void finish();                                     // to where it belongs

 private:
  void choose(bool resume);
  void remove() const;  // what is new, where there is no checkpoint

  Target target_;
  std::string path_;
  std::vector<std::string> before_;  // entries that were there
  std::vector<std::string> above_;   // folders that were not
  bool made_ = false;                // the directory itself is new
  std::optional<Unfinished> goes_;
};

}  // namespace jogak
