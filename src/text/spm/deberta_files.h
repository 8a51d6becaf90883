// DeBERTa's tokenizer as directories without tokenizer.json keep it: a .model whose first pieces
// are BERT's tokens, and a mask behind its last.
#pragma once

#include <string>

#include "text/tokenizer.h"

namespace jogak::text {

inline constexpr const char* kDebertaModel = "spm.model";

Tokenizer load_deberta(const std::string& directory);

}  // namespace jogak::text
