#include "text/jinja/python_number.h"

#include <array>
#include <charconv>
#include <cmath>

namespace jogak::jinja {

// The fewest digits that give the number again, with an exponent below 1e-4 and from 1e16 on.
std::string python_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 400> buffer;
  const double size = std::fabs(value);
  const bool plain = value == 0 || (size >= 1e-4 && size < 1e16);
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  std::string out(buffer.data(), end);
  if (plain && out.find('.') == std::string::npos) out += ".0";
  return out;
}

}  // namespace jogak::jinja
