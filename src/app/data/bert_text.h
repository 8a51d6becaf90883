// The tokenizer of a model that reads texts whole: [CLS] text [SEP], with a mask token.
#pragma once

#include <string>
#include <vector>

#include "app/train/recipe.h"
#include "data/masked_data.h"
#include "text/tokenizer.h"

namespace jogak {

// The run's tokenizer: of the directory that is resumed (empty: none), of tokenizer.from, of
// model.from, or trained on `texts`; one that is trained puts [CLS] and [SEP] around a text.
Tokenizer bert_tokenizer(const Recipe& recipe, const std::string& resumed,
                         const std::vector<std::string>& texts);

// A token by its role ("mask_token"), or by BERT's name for it ("[MASK]"). FormatError without one.
int token_with_role(const Tokenizer& tokenizer, const std::string& role, const std::string& name);

// What hides tokens for this tokenizer: its mask, what it puts around a text, what is special.
Masking masking_for(const Tokenizer& tokenizer, double share, uint64_t seed);

// vocab_size (unless the recipe says it) and pad_token_id.
std::vector<Json::Member> tokenizer_settings(const Tokenizer& tokenizer, const Recipe& recipe);

}  // namespace jogak
