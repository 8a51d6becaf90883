// The tokenizer of a GGUF file as tokenizer.json and tokenizer_config.json.
#pragma once

#include <string>

#include "io/gguf.h"

namespace jogak {

// FormatError for a kind, or a way to cut text, that is not read. The chat template comes along.
void write_gguf_tokenizer(const GgufFile& file, const std::string& directory);

}  // namespace jogak
