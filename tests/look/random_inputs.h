// Random inputs of the kind a user types, for every topic that names the shapes it takes.
#pragma once

#include "base/random.h"
#include "look/explain.h"

namespace jogak::test {

bool can_randomise(const std::string& topic);
ExplainRequest random_request(const std::string& topic, Rng& rng);

}  // namespace jogak::test
