// Random inputs of the kind a user types, for every topic that names the shapes it takes.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "base/random.h"
#include "explain/explain.h"

namespace jogak::test {

bool can_randomise(const std::string& topic);
ExplainRequest random_request(const std::string& topic, Rng& rng);

// How many random lessons a test works through, of all topics together: $JOGAK_LESSONS, or 1,000.
inline int lessons_wanted() {
  const char* wanted = std::getenv("JOGAK_LESSONS");
  return wanted ? std::max(1, std::atoi(wanted)) : 1000;
}

}  // namespace jogak::test
