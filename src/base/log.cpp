#include "base/log.h"

#include <unistd.h>

#include <cerrno>
#include <string>

namespace jogak {

void detail::write_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody can be told that stderr is gone
    text.remove_prefix(static_cast<size_t>(n));
  }
}

void detail::write_log_line(std::string_view prefix, std::string_view text) {
  std::string line = isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
  line += prefix;
  // A file name may hold line ends or terminal commands; in a message they are only shown.
  for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  write_stderr(line + '\n');
}

}  // namespace jogak
