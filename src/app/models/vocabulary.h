// Whether a tokenizer goes with a model.
#pragma once

#include <cstdint>
#include <string>

#include "text/tokenizer.h"

namespace jogak {

// FormatError where a token has an id that the model has no row for. `directory` is theirs, empty
// where they have none yet; `which` may name one of two tokenizers: "source ".
void check_rows(const Tokenizer& tokenizer, int64_t rows, const std::string& directory,
                const char* which = "");

}  // namespace jogak
