#include "cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/terminal.h"

namespace jogak::cli {

void Output::write(std::string_view text) {
  constexpr size_t kEnough = size_t{1} << 16;
  held_ += text;
  if (held_.size() >= kEnough) flush();
}

void Output::line(std::string_view text) {
  write(text);
  write("\n");
}

void Output::flush() {
  std::string_view rest = held_;
  while (!rest.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      held_.clear();  // what cannot be written must not be tried again at the end
      if (errno == EPIPE) throw ReaderGone();
      fail<IoError>("standard output: cannot be written: ", std::strerror(errno));
    }
    rest.remove_prefix(static_cast<size_t>(n));
  }
  held_.clear();
}

bool Output::colour() { return colour_wanted(STDOUT_FILENO); }

int Output::columns() { return std::clamp(terminal_columns(STDOUT_FILENO), 40, 120); }

}  // namespace jogak::cli
