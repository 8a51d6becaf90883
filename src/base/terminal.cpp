#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "base/terminal_width.h"
#include "base/utf8.h"

namespace jogak {
namespace {

using detail::CodeRange;

template <size_t N>
bool contains(const CodeRange (&ranges)[N], char32_t code) {
  const auto next = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                     [](char32_t c, const CodeRange& r) { return c < r.first; });
  return next != std::begin(ranges) && code <= std::prev(next)->last;
}

size_t columns_of(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return 0;  // control characters
  if (code < 0x300) return 1;
  if (contains(detail::kZeroWidth, code)) return 0;
  return contains(detail::kWide, code) ? 2 : 1;
}

// Length of the control sequence ESC [ ... letter at `at`; 0 when there is none.
size_t escape_length(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "\x1b[") return 0;
  size_t end = at + 2;
  while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x3F) ++end;
  const bool closed = end < text.size() && text[end] >= 0x40 && text[end] <= 0x7E;
  return closed ? end + 1 - at : 0;
}

struct Piece {
  size_t bytes, columns;
};

Piece piece_at(std::string_view text, size_t at) {
  if (const size_t escape = escape_length(text, at)) return {escape, 0};
  const utf8::Decoded next = utf8::decode(text, at);
  if (next.size == 0) return {1, 1};
  return {static_cast<size_t>(next.size), columns_of(next.code)};
}

}  // namespace

size_t display_width(std::string_view utf8) {
  size_t columns = 0;
  for (size_t at = 0; at < utf8.size();) {
    const Piece piece = piece_at(utf8, at);
    at += piece.bytes;
    columns += piece.columns;
  }
  return columns;
}

std::string_view fit_columns(std::string_view utf8, size_t columns) {
  size_t at = 0;
  while (at < utf8.size()) {
    const Piece piece = piece_at(utf8, at);
    if (piece.columns > columns) break;
    columns -= piece.columns;
    at += piece.bytes;
  }
  return utf8.substr(0, at);
}

static std::string spaces_for(std::string_view utf8, size_t columns) {
  const size_t width = display_width(utf8);
  return std::string(columns > width ? columns - width : 0, ' ');
}

std::string pad_left(std::string_view utf8, size_t columns) {
  return spaces_for(utf8, columns).append(utf8);
}

std::string pad_right(std::string_view utf8, size_t columns) {
  return std::string(utf8) + spaces_for(utf8, columns);
}

std::string Quoted::operator()(std::string_view text) const {
  const std::string_view part = fit_columns(text.substr(0, 400), 40);
  std::string out = "\"";
  for (const char c : utf8::lossy(part)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (c == '"' || c == '\\') out += '\\';
    out += control ? '?' : c;
  }
  return out + (part.size() < text.size() ? "...\"" : "\"");
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool colour_wanted(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour && *no_colour) return false;
  const char* kind = std::getenv("TERM");
  if (kind && std::string_view(kind) == "dumb") return false;
  return isatty(fd) == 1;
}

int terminal_columns(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* text = std::getenv("COLUMNS")) {
    const std::string_view digits = text;
    int columns = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), columns);
    if (error == std::errc() && end == digits.end() && columns > 0 && columns <= 10000)
      return columns;
  }
  return 80;
}

}  // namespace jogak
