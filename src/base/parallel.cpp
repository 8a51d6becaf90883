#include "base/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "base/error.h"

namespace jogak {

int thread_count() { return omp_get_max_threads(); }

int thread_index() { return omp_get_thread_num(); }

void set_thread_count(int threads) {
  ensure<UsageError>(threads >= 1 && threads <= 1024, "threads: found ", threads,
                     ", wanted 1 to 1024");
  omp_set_num_threads(threads);
}

namespace detail {

void run_parallel(int64_t count, int64_t grain, void* self, RangeFn call) {
  if (count <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t pieces = count / grain + (count % grain != 0);
  const auto run = [&](int64_t p) {
    call(self, p * grain, p * grain + std::min(grain, count - p * grain));
  };
  if (pieces == 1 || omp_in_parallel() || thread_count() == 1) {
    for (int64_t p = 0; p < pieces; ++p) run(p);
    return;
  }
  std::exception_ptr first;
  std::atomic<bool> failed{false};
#pragma omp parallel for schedule(dynamic, 1)
  for (int64_t p = 0; p < pieces; ++p) {
    if (failed.load(std::memory_order_relaxed)) continue;
    try {
      run(p);
    } catch (...) {
      if (!failed.exchange(true)) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace detail
}  // namespace jogak
