// Every family there is.
#pragma once

#include "models/family.h"

namespace jogak {

const std::vector<Family>& families();
const Family& family_named(const std::string& name);  // UsageError suggesting the nearest
// By model_type; FormatError listing the known ones.
const Family& family_of(const Json& config, const std::string& file);

}  // namespace jogak
