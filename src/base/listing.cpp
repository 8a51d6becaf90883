#include "base/listing.h"

#include <algorithm>

namespace jogak {

std::string first_of(const std::vector<std::string>& things, const char* between) {
  constexpr size_t kShown = 8;
  std::string out;
  for (size_t i = 0; i < std::min(kShown, things.size()); ++i) {
    if (i > 0) out += between;
    out += things[i];
  }
  if (things.size() > kShown)
    out += between + ("and " + std::to_string(things.size() - kShown)) + " more";
  return out;
}

}  // namespace jogak
