// `jogak convert`: a llama.cpp model as a Hugging Face directory.
#pragma once

#include <string>

#include "app/tools/info.h"
#include "base/lang.h"

namespace jogak {

struct ConvertOptions {
  std::string file, out;
  std::string dtype = "auto";  // of matrices: auto, f32, bf16 or f16; auto keeps plain numbers
  bool overwrite = false;      // a model that is there
  Lang lang = Lang::en;        // of the progress line
};
ModelInfo convert_gguf(const ConvertOptions& options);

}  // namespace jogak
