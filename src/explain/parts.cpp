#include "explain/parts.h"

#include "base/error.h"

namespace jogak {

std::string filled(std::string_view pattern, const Parts& parts) {
  std::string out;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const bool marker = pattern[at] == '{' && at + 2 < pattern.size() && pattern[at + 1] >= '0' &&
                        pattern[at + 1] <= '9' && pattern[at + 2] == '}';
    if (!marker) {
      out += pattern[at];
      continue;
    }
    out += parts.at(static_cast<size_t>(pattern[at + 1] - '0'));
    at += 2;
  }
  return out;
}

std::string joined(const Parts& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

Parts labels(std::string_view letter, int64_t count, int64_t first) {
  Parts out;
  for (int64_t i = 0; i < count; ++i) out.push_back(text_of(letter, first + i));
  return out;
}

}  // namespace jogak
