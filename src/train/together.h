// What several processes decide together, over the reducer's sums: whether to stop, what the first
// of them found, and that the others end where one has failed. One process takes the same way.
#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "train/reducer.h"

namespace jogak {

class Together {
 public:
  explicit Together(GradientReducer& reducer)
      : reducer_(reducer), first_(reducer.processes().is_first()) {}

  bool is_first() const { return first_; }
  bool any(bool here) { return reducer_.sum(here ? 1 : 0) > 0; }

  int64_t from_first(int64_t value) { return reducer_.sum(first_ ? value : 0); }
  double from_first(double value);  // bit by bit
  bool from_first(bool value) { return reducer_.sum(first_ && value ? 1 : 0) > 0; }

  // Runs in every process, or in the first alone. What is thrown in one ends the call in all, so
  // that nobody waits for a process that is gone: it throws its own error, the others Stopped when
  // that is all that was thrown anywhere, else Error.
  void in_all(FunctionRef<void()> work);
  void in_first(FunctionRef<void()> work);

 private:
  GradientReducer& reducer_;
  bool first_;
};

}  // namespace jogak
