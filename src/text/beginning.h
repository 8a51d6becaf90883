// The beginning of a text that is far longer than anybody reads.
#pragma once

#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace jogak {

// The tokens of a text take a hundred times its memory. Where only so many will be read, a
// beginning of at least twice as many will do: where it ends, and where perhaps a token is another,
// lies far behind them. The whole text where it is short or has fewer tokens.
std::string_view text_beginning(const Tokenizer& tokenizer, std::string_view text, size_t tokens);

// The ids of such a beginning.
std::vector<int> beginning_ids(const Tokenizer& tokenizer, std::string_view text, size_t tokens,
                               EncodeOptions options = {});

}  // namespace jogak
