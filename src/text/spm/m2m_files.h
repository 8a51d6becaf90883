// The tokenizer of M2M100: one .model that cuts text, vocab.json that numbers the pieces, and a
// token for each language behind them.
#pragma once

#include <string>

#include "text/tokenizer.h"

namespace jogak::text {

inline constexpr const char *kM2mModel = "sentencepiece.bpe.model", *kM2mVocab = "vocab.json";

// Ids and text equal M2M100Tokenizer's; "language_codes" of tokenizer_config.json says which
// languages there are.
Tokenizer load_m2m(const std::string& directory);

}  // namespace jogak::text
