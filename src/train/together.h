// What several processes decide together, over sums of a group: whether to stop, what the first
// of them found, and that the others end where one has failed. One process takes the same way.
#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "group/group.h"

namespace jogak {

class Together {
 public:
  explicit Together(ProcessGroup& group) : group_(group), first_(group.processes().is_first()) {}

  bool is_first() const { return first_; }
  bool any(bool here) { return group_.sum(here ? 1 : 0) > 0; }

  int64_t from_first(int64_t value) { return group_.sum(first_ ? value : 0); }
  double from_first(double value);  // bit by bit
  bool from_first(bool value) { return group_.sum(first_ && value ? 1 : 0) > 0; }

  // Runs in every process, or in the first alone. What is thrown in one ends the call in all, so
  // that nobody waits for a process that is gone: it throws its own error, the others Stopped when
  // that is all that was thrown anywhere, else Error. ProcessLost, which all find by themselves, is
  // thrown on.
  void in_all(FunctionRef<void()> work);
  void in_first(FunctionRef<void()> work);

 private:
  ProcessGroup& group_;
  bool first_;
};

}  // namespace jogak
