// A run directory: a model directory with checkpoints/step-NNNNNNNN below it. A checkpoint is
// there whole or not at all, at whatever moment the process or the machine goes down.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "train/lock.h"

namespace jogak {

std::string checkpoint_directory(const std::string& run, int64_t step);

class RunDirectory {
 public:
  // Makes it when missing, locks it, and removes what a killed run left unfinished.
  explicit RunDirectory(const std::string& path);

  const std::string& path() const { return path_; }
  std::string checkpoint(int64_t step) const { return checkpoint_directory(path_, step); }
  std::vector<int64_t> checkpoints() const;  // committed, by step

  // Calls write(directory) for a fresh temporary directory, then syncs it, renames it to
  // checkpoint(step), in place of one that may be there, and syncs the parent. When something
  // fails, what was there stays and the temporary goes. False when only the last sync failed: the
  // checkpoint is there, but a power cut may lose it, so older ones must stay.
  bool commit(int64_t step, const std::function<void(const std::string& directory)>& write);

  void keep_newest(int64_t count);  // removes the others, oldest first; warns where it cannot

 private:
  void sweep();
  std::string temporary();  // a fresh name beside the checkpoints
  void remove_unseen(const std::string& directory);

  std::string path_, checkpoints_;
  DirectoryLock lock_;
  uint64_t counter_ = 0;
};

}  // namespace jogak
