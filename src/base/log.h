// Words for the person at the terminal, on stderr: stdout carries results alone.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/lang.h"

namespace jogak {

// The language that notes, warnings and progress are put into from here on; until then that of the
// environment for progress, English for the others.
void set_log_language(Lang lang);
Lang log_language();

namespace detail {
void write_stderr(std::string_view text);

void write_note(std::string_view text);
void write_warning(std::string_view text);

// Writes one line at once, whatever the text holds, and wipes a progress line that stands there.
void write_log_line(std::string_view prefix, std::string_view text);
// Control characters and bytes that are not UTF-8 as \x1b, at most 2,000 characters.
std::string shown_on_one_line(std::string_view text);
bool is_first(const char* kind);
}  // namespace detail

template <class... Parts>
void log_info(const Parts&... parts) {
  detail::write_note(text_of(parts...));
}

template <class... Parts>
void log_warning(const Parts&... parts) {
  detail::write_warning(text_of(parts...));
}

// A warning that may come again and again: the first of a kind is written, the others are counted.
template <class... Parts>
void log_first_warning(const char* kind, const Parts&... parts) {
  if (detail::is_first(kind)) log_warning(parts...);
}
void tell_repeated();  // how many others there were; a program calls it at its end

}  // namespace jogak
