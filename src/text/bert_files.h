// BERT's own files: vocab.txt with a token a line, and beside it tokenizer_config.json,
// special_tokens_map.json and added_tokens.json, as far as they are there.
#pragma once

#include <string>
#include <string_view>

#include "text/models/vocab.h"

namespace jogak::text {

inline constexpr const char* kBertVocabName = "vocab.txt";

// The number of a line, from 0, is the id of its token; spaces at its end are no part of it. A
// token that comes again keeps its last id, as in the reference.
Vocab read_vocab_lines(std::string_view text, const std::string& file);

}  // namespace jogak::text
