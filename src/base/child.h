// Work in a process of its own, for libraries that cannot be asked to stop: the process is ended
// at any moment, and nothing of it is left.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace jogak {

struct ChildWork {
  // Runs in the child, which sees the memory as it was when it was started. It may report numbers,
  // and its result comes back as bytes. What it throws comes back as an Error with its message.
  std::function<std::string(const std::function<void(int64_t)>& tell)> work;
  // Called here about ten times a second with the last number reported, -1 before the first. What
  // it throws ends the child and goes on to the caller.
  std::function<void(int64_t reported)> waiting{};
};

std::string run_in_child(const ChildWork& job);

}  // namespace jogak
