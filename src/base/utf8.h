// UTF-8, byte by byte. Invalid input is reported by position, never guessed at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jogak::utf8 {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code = 0;
  int size = 0;  // bytes used; 0 when the bytes at this place are not valid UTF-8
};

// The code point that starts at `at`. Overlong forms and surrogates are invalid.
Decoded decode(std::string_view text, size_t at);

void append(std::string& out, char32_t code);  // a surrogate or too large: U+FFFD

// Position of the first invalid byte, or npos when all of the text is valid.
size_t first_invalid(std::string_view text);

size_t count(std::string_view valid_text);  // code points

// Length of the longest prefix that does not end inside a character: what may be shown so far.
size_t whole_prefix(std::string_view text);

// Every maximal invalid part becomes U+FFFD, as the WHATWG decoder and Rust's from_utf8_lossy do.
std::string lossy(std::string_view bytes);

}  // namespace jogak::utf8
