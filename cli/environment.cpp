#include "cli/environment.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/processors.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "base/utf8.h"

namespace jogak::cli {

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
  asked_threads();
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
