// What a run reports: metrics.jsonl, one line of JSON at a time, and the same numbers for
// TensorBoard under the same names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "train/tensorboard.h"

namespace jogak {

class Metrics {
 public:
  // Takes metrics.jsonl up where the run does: lines of later steps are dropped, and those of a
  // validation that will run again.
  struct Start {
    int64_t step = 0, validated_step = 0;  // 0: from the beginning
  };
  Metrics(const std::string& directory, Start start);

  // {"schema": 1, "step": N, ...}; numbers that no finite float can hold are left out.
  void write(int64_t step, const Scalars& values);
  void write_skipped(int64_t step, const std::string& why);  // "skipped": why

 private:
  std::string directory_, path_;
  Start start_;
  bool resumed_ = false;             // something was written before
  std::optional<EventFile> events_;  // made with the first number
};

}  // namespace jogak
