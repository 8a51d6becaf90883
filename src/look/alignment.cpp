#include "look/alignment.h"

#include "base/terminal.h"
#include "base/utf8.h"

namespace jogak {

std::string visible_token(std::string_view token) {
  std::string out;
  const std::string text = utf8::lossy(token);
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    const char32_t c = next.code;
    if (c == ' ' || c == 0xA0 || c == 0x3000 || c == 0x2581 || (c >= 0x2000 && c <= 0x200A))
      out += "␣";
    else if (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029)
      out += "⏎";
    else if (c == '\t')
      out += "⇥";
    else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
             (c >= 0x2066 && c <= 0x2069))  // the last two turn the direction of a line
      out += "·";
    else
      utf8::append(out, c);
    at += static_cast<size_t>(next.size);
  }
  if (out.empty()) return "∅";
  return display_width(out) == 0 ? "◌" + out : out;
}

}  // namespace jogak
