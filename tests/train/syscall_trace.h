// Follows the system calls of a piece of work, and can end it at any of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jogak::test {

// A call that succeeded in changing what lies on disk, or in making it last.
struct DiskCall {
  enum Kind : uint8_t { create, write, sync, make_directory, rename, exchange, remove };
  Kind kind;
  std::string path;        // of what it works on, also where the call named a descriptor
  std::string to = {};     // rename, exchange
  std::string bytes = {};  // write: what was written at the end
};

struct Trace {
  int stops = 0;  // two to a call: before and after it is done
  bool killed = false;
  std::vector<DiskCall> calls;
};

// To be called within the work: the first call begins the trace, the second ends it.
void trace_mark();

// Runs the work in a fork of this process, which gets SIGKILL at the given stop (1, 2, ...; 0:
// none) and goes no further than the second mark. Nothing where processes may not be traced.
std::optional<Trace> trace(const std::function<void()>& work, int kill_at = 0);

}  // namespace jogak::test
