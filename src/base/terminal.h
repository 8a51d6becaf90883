// What a terminal needs to know: how wide text is on the screen, whether colour is wanted, and
// how many columns there are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jogak {

// Screen columns of UTF-8 text: Hangul and other wide characters take two, combining marks and
// colour sequences ("\x1b[1m") none. A byte that is not UTF-8 counts one, as U+FFFD would.
size_t display_width(std::string_view utf8);

// The longest prefix of whole characters that fits into `columns`; never half a syllable.
std::string_view fit_columns(std::string_view utf8, size_t columns);

std::string pad_left(std::string_view utf8, size_t columns);   // text at the right edge
std::string pad_right(std::string_view utf8, size_t columns);  // text at the left edge

// What an error quotes of the user's words: in double quotes, on one line, always valid UTF-8, and
// cut to 40 columns. An object, not a function, so that std::quoted is never picked for a
// std::string in its place.
struct Quoted {
  std::string operator()(std::string_view text) const;
};
inline constexpr Quoted quoted;

// A word as a shell reads it back: as it is where it is plain, otherwise in single quotes.
std::string shell_quoted(std::string_view word);

// True for a terminal, unless NO_COLOR is set to something or TERM is "dumb".
bool colour_wanted(int fd);

// Of the terminal behind `fd`; otherwise $COLUMNS; otherwise 80.
int terminal_columns(int fd);

}  // namespace jogak
