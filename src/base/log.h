// Words for the person at the terminal, on stderr: stdout carries results alone.
#pragma once

#include <string_view>

#include "base/error.h"

namespace jogak {

namespace detail {
void write_stderr(std::string_view text);

// Writes one line at once, whatever the text holds, and wipes a progress line that stands there.
void write_log_line(std::string_view prefix, std::string_view text);
}  // namespace detail

template <class... Parts>
void log_info(const Parts&... parts) {
  detail::write_log_line("", text_of(parts...));
}

template <class... Parts>
void log_warning(const Parts&... parts) {
  detail::write_log_line("jogak: warning: ", text_of(parts...));
}

}  // namespace jogak
