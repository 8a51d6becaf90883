#include "cli/waiting.h"

#include <unistd.h>

#include <cstdlib>

#include "base/error.h"
#include "base/stop.h"

namespace jogak::cli {
namespace {

char** own_words = nullptr;

// Long enough that threads of a quiet machine never sleep between the pieces of one pass
// (docs/performance.md).
constexpr char kSpins[] = "10000";

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value && *value != '\0';
}

}  // namespace

void keep_words(char** words) { own_words = words; }

void bound_waiting() {
  if (!own_words || is_set("OMP_WAIT_POLICY") || is_set("GOMP_SPINCOUNT")) return;
  ensure<Stopped>(!stop_asked(), "stopped");  // what comes back would not know
  ::setenv("GOMP_SPINCOUNT", kSpins, 1);
  ::execv("/proc/self/exe", own_words);  // comes back only where it cannot be done: go on as we are
}

}  // namespace jogak::cli
