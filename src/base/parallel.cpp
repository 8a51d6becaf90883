#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include "base/error.h"
#include "base/processors.h"
#include "base/thread_team.h"

namespace jogak {
namespace {

std::atomic<int>& count_of_threads() {
  static std::atomic<int> count = [] {
    const int asked = asked_threads();
    return asked > 0 ? asked : processor_count();
  }();
  return count;
}

}  // namespace

int thread_count() { return count_of_threads().load(std::memory_order_relaxed); }

int thread_index() { return ThreadTeam::index(); }

void set_thread_count(int threads) {
  ensure<UsageError>(threads >= 1 && threads <= 1024, "threads: found ", threads,
                     ", wanted 1 to 1024");
  count_of_threads() = threads;
}

namespace detail {
namespace {

struct Loop {
  int64_t count, grain;
  void* self;
  RangeFn call;
  std::exception_ptr first = nullptr;
  std::atomic<bool> failed{false};

  void piece(int64_t p) const {
    call(self, p * grain, p * grain + std::min(grain, count - p * grain));
  }
  static void guarded(void* loop, int64_t p) {
    auto& all = *static_cast<Loop*>(loop);
    if (all.failed.load(std::memory_order_relaxed)) return;
    try {
      all.piece(p);
    } catch (...) {
      if (!all.failed.exchange(true)) all.first = std::current_exception();
    }
  }
};

}  // namespace

void run_parallel(int64_t count, int64_t grain, void* self, RangeFn call) {
  if (count <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t pieces = count / grain + (count % grain != 0);
  Loop loop{count, grain, self, call};
  const int threads = thread_count();
  if (pieces == 1 || threads == 1 || ThreadTeam::working()) {
    for (int64_t p = 0; p < pieces; ++p) loop.piece(p);
    return;
  }
  thread_local ThreadTeam team;
  team.run(pieces, threads - 1, &loop, &Loop::guarded);
  if (loop.first) std::rethrow_exception(loop.first);
}

}  // namespace detail
}  // namespace jogak
