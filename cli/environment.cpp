#include "cli/environment.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/processors.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "base/utf8.h"

namespace jogak::cli {
namespace {

// Under this name stands what libgomp shall not see.
constexpr char kThreads[] = "OMP_NUM_THREADS=", kHidden[] = "oMP_NUM_THREADS";

#define JOGAK_EARLY [[gnu::no_sanitize("address", "undefined", "thread")]]

// "4", or "4,2" for loops within loops.
JOGAK_EARLY bool are_threads(const char* text) {
  int digits = 0;
  bool counts = false;  // a number other than 0
  for (; *text != '\0'; ++text) {
    if (*text == ',' && counts) {
      digits = 0, counts = false;
      continue;
    }
    if (*text < '0' || *text > '9' || ++digits > 6) return false;
    counts |= *text != '0';
  }
  return counts;
}

// libgomp reads the environment before main() begins, and tells of what it cannot read in lines of
// its own. This comes before libgomp: nothing of the C library may be used yet.
JOGAK_EARLY void hide_odd_threads(int, char**, char** all) {
  for (; all && *all; ++all) {
    size_t same = 0;
    while (kThreads[same] != '\0' && (*all)[same] == kThreads[same]) ++same;
    if (kThreads[same] == '\0' && !are_threads(*all + same)) (*all)[0] = kHidden[0];
  }
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all)(int, char**,
                                                                       char**) = hide_odd_threads;

}  // namespace

void check_environment(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t bad = utf8::first_invalid(arguments[i]);
    ensure<UsageError>(bad == std::string::npos, "word ", i + 1, " of the command, ",
                       quoted(arguments[i]), ": byte ", bad,
                       ": found a byte that is not UTF-8, wanted UTF-8 text");
  }
  const char* const limit = std::getenv("JOGAK_MAX_ISA");
  const std::string found = limit ? limit : "";
  const std::vector<std::string> known = {"baseline", "avx2", "avx2-vnni", "avx512", "avx512-bf16"};
  ensure<UsageError>(found.empty() || std::find(known.begin(), known.end(), found) != known.end(),
                     "JOGAK_MAX_ISA: found ", quoted(found),
                     ", wanted baseline, avx2, avx2-vnni, avx512 or avx512-bf16",
                     did_you_mean(found, known));
  const char* const hidden = std::getenv(kHidden);
  const std::string threads = hidden ? hidden : "";
  ensure<UsageError>(threads.empty(), "OMP_NUM_THREADS: found ", quoted(threads),
                     ", wanted a whole number from 1 to 1024");
}

void bound_threads() {
  constexpr int kMost = 64;
  const int asked = thread_count(), processors = processor_count();
  if (asked <= processors) return;
  const int used = std::min(asked, std::max(kMost, processors));
  set_thread_count(used);
  log_warning(asked, " threads on ", processors, processors == 1 ? " processor" : " processors",
              ": more than there are do not help",
              used < asked ? text_of("; ", used, " are used") : std::string());
}

}  // namespace jogak::cli
