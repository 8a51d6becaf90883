#include "base/shortest.h"

#include <charconv>

namespace jogak {

std::string shortest(float value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

double shortest_double(float value) {
  const std::string text = shortest(value);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace jogak
