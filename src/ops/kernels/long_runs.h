// How threads divide weights that a few rows meet once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"

namespace jogak {

// How many of `count` things of `bytes` each a thread reads at a time. Memory gives long runs
// faster, whose beginnings nobody asked for beforehand; every thread gets as many runs, of the same
// length.
inline int64_t long_run(int64_t count, int64_t bytes) {
  constexpr int64_t kRun = int64_t{1} << 19;
  const int64_t threads = thread_count();
  const int64_t runs = threads * std::max<int64_t>(1, count * bytes / (threads * kRun));
  return (count + runs - 1) / runs;
}

}  // namespace jogak
