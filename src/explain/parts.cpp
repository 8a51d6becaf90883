#include "explain/parts.h"

#include "base/error.h"
#include "base/korean/particle.h"

namespace jogak {

static bool is_particle(std::string_view word) {
  for (const korean::Particle& p : korean::kParticles)
    if (word == p.closed) return true;
  return false;
}

std::string filled(std::string_view pattern, const Parts& parts) {
  std::string out;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const size_t end = pattern[at] == '{' ? pattern.find('}', at) : std::string_view::npos;
    const std::string_view inside =
        end == std::string_view::npos ? std::string_view() : pattern.substr(at + 1, end - at - 1);
    if (inside.size() == 1 && inside[0] >= '0' && inside[0] <= '9') {
      out += parts.at(static_cast<size_t>(inside[0] - '0'));
    } else if (is_particle(inside)) {
      out += korean::particle(out, inside);
    } else {
      out += pattern[at];
      continue;
    }
    at = end;
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
