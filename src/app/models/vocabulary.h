// Whether a tokenizer goes with a model.
#pragma once

#include <cstdint>
#include <string>

#include "models/family.h"
#include "text/tokenizer.h"

namespace jogak {

// FormatError where a token has an id that the model has no row for. `directory` is theirs, empty
// where they have none yet; `which` may name one of two tokenizers: "source ".
void check_rows(const Tokenizer& tokenizer, int64_t rows, const std::string& directory,
                const char* which = "");

// What a fresh model takes from its tokenizer, where `settings` do not say it: how many tokens
// there are, and of a model whose texts are one side of it, such as CLIP, which token ends them.
std::vector<Json::Member> vocabulary_settings(const Tokenizer& tokenizer, const Family& family,
                                              const std::string& preset,
                                              const std::vector<Json::Member>& settings);
// Whether a family reads texts beside something else: their settings are a table of their own.
bool reads_beside(const Family& family);

}  // namespace jogak
