// Watches a run's checkpoints/ from outside: when the writing of one begins, when it is committed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

class CommitWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CommitWatch(const std::string& checkpoints);  // the directory must be there
  ~CommitWatch();
  CommitWatch(const CommitWatch&) = delete;
  CommitWatch& operator=(const CommitWatch&) = delete;

  // Takes what has happened, waiting up to so many milliseconds for something to happen.
  void update(int milliseconds);

  // The temporary directory that a checkpoint is being written to; empty between two writes. One
  // that holds an old checkpoint on its way out does not count.
  const std::string& being_written() const { return being_written_; }
  int64_t newest() const { return newest_; }  // step of the last one committed; 0: none yet

  // Microseconds each write took, and those from a commit (or the start) to the next write.
  const std::vector<int64_t>& writes() const { return writes_; }
  const std::vector<int64_t>& gaps() const { return gaps_; }

 private:
  int64_t lap();

  int fd_ = -1;
  std::string being_written_;
  int64_t newest_ = 0;
  Clock::time_point since_ = Clock::now();
  std::vector<int64_t> writes_, gaps_;
};

}  // namespace jogak
