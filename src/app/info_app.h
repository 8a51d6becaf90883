// `jogak info`: what a model directory holds.
#pragma once

#include <string>

#include "base/json.h"

namespace jogak {

// {"schema","model_type","parameters","bytes","layers","vocab","context","tokenizer","tensors":[..]}
Json model_info(const std::string& directory);
std::string info_table(const Json& info);  // for a person

}  // namespace jogak
