// How threads divide weights that a few rows meet once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/parallel.h"

namespace jogak {

// `count` things of `bytes` each, in runs: memory gives long ones faster, and short ones at the end
// let all threads end together. Of what is left each thread gets half of its share as one run, then
// half of the rest, and at last runs of at least kShort.
class LongRuns {
 public:
  static constexpr int64_t kShort = 96 << 10;  // bytes

  LongRuns(int64_t count, int64_t bytes, int64_t threads = thread_count())
      : count_(count),
        threads_(threads),
        least_(std::clamp<int64_t>(kShort / bytes, 1, (count + threads - 1) / threads)) {
    int64_t runs = 0;
    for (int64_t at = 0; at < count;) {
      const int64_t size = run_from(at), here = std::min(threads, (count - at + size - 1) / size);
      runs += here, at += here * size;
    }
    runs_ = runs;
  }
  int64_t runs() const { return runs_; }

  struct Range {
    int64_t begin, end;
  };
  Range operator[](int64_t run) const {
    for (int64_t at = 0;; run -= threads_) {
      const int64_t size = run_from(at);
      if (run < threads_)
        return {std::min(count_, at + run * size), std::min(count_, at + (run + 1) * size)};
      at += threads_ * size;
    }
  }

 private:
  int64_t run_from(int64_t at) const {  // of the turn of all threads that begins there
    return std::max(least_, (count_ - at) / (2 * threads_));
  }
  int64_t count_, threads_, least_, runs_;
};

// What a run reads first, of which nobody asked for anything before.
inline void ask_for(const void* first, int64_t bytes) {
  constexpr int64_t kLine = 64;
  for (int64_t at = 0; at < bytes; at += kLine)
    __builtin_prefetch(static_cast<const char*>(first) + at, 0, 2);
}

// body(begin, end) for each of them, in any order and by all threads.
template <class Body>
void parallel_runs(const LongRuns& runs, Body&& body) {
  parallel_for(runs.runs(), 1, [&](int64_t first, int64_t last) {
    for (int64_t run = first; run < last; ++run) {
      const LongRuns::Range range = runs[run];
      body(range.begin, range.end);
    }
  });
}

}  // namespace jogak
