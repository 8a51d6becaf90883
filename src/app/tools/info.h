// `jogak info`: what a model directory holds.
#pragma once

#include <string>

#include "base/json.h"

namespace jogak {

// {"schema","model_type","parameters","bytes","layers",..,"tokenizer","modules":[..],"tensors":[..]}.
// "bytes" is what the weights take in the files, "memory_bytes" once they are opened. Keys that say
// nothing of the model are left out: "vocab" of images, "image" of texts.
Json model_info(const std::string& directory);
std::string info_table(const Json& info);  // for a person

}  // namespace jogak
