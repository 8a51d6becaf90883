// The one compute pool. Work is cut by size alone, never by the number of threads, and an
// exception in a piece of work reaches the caller instead of ending the process.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

namespace jogak {

int thread_count();
void set_thread_count(int threads);  // at least 1
int thread_index();                  // of the caller inside parallel_for: 0 .. thread_count() - 1

namespace detail {
using RangeFn = void (*)(void* self, int64_t begin, int64_t end);
void run_parallel(int64_t count, int64_t grain, void* self, RangeFn call);
}  // namespace detail

// Calls body(begin, end) for consecutive pieces of [0, count), each of `grain` items (the last
// may be shorter). Pieces may run at the same time; each must write its own part of the result.
template <class Body>
void parallel_for(int64_t count, int64_t grain, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  detail::run_parallel(
      count, grain, const_cast<std::remove_const_t<Plain>*>(&body),
      [](void* self, int64_t begin, int64_t end) { (*static_cast<Plain*>(self))(begin, end); });
}

}  // namespace jogak
