#include "base/processors.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/terminal.h"

namespace jogak {
namespace {

// "4", or "4,2" as OpenMP's programs read it, of which the first counts; 0: no such number.
int threads_of(std::string_view text) {
  constexpr size_t kMostDigits = 6;
  int first = 0;
  while (!text.empty()) {
    const std::string_view number = text.substr(0, text.find(','));
    if (number.empty() || number.size() > kMostDigits) return 0;
    int value = 0;
    for (const char c : number) {
      if (c < '0' || c > '9') return 0;
      value = 10 * value + (c - '0');
    }
    if (value == 0) return 0;
    if (first == 0) first = value;
    text.remove_prefix(std::min(text.size(), number.size() + 1));
  }
  return first;
}

}  // namespace

int processor_count() {
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof own, &own) == 0) return std::max(CPU_COUNT(&own), 1);
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

int asked_threads() {
  const char* const value = std::getenv("OMP_NUM_THREADS");
  const std::string_view text = value ? value : "";
  const int threads = threads_of(text);
  ensure<UsageError>(text.empty() || threads > 0, "OMP_NUM_THREADS: found ", quoted(text),
                     ", wanted a whole number from 1 to 1024");
  return threads;
}

}  // namespace jogak
