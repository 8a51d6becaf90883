// The model of a GGUF file as Hugging Face has it: configuration, and weights by name.
#pragma once

#include <string>

#include "base/json.h"
#include "io/gguf.h"
#include "io/tensor_source.h"

namespace jogak {

std::string gguf_architectures();  // names of those that are read, for help and errors

// config.json, every key filled in and checked by its family.
Json gguf_config(const GgufFile& file);

// Every weight under its name and in its layout there, made when it is written. `kept`: the type of
// matrices; none: plain numbers stay as they are, blocks become f32. The file must outlive them.
TensorSources gguf_weights(const GgufFile& file, std::optional<DType> kept);

}  // namespace jogak
