// A tokenizer whose tokens are the characters of a text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace jogak {

struct CharTrainOptions {
  std::vector<std::string> special_tokens{};  // get the ids after the characters
  std::string unk_token{};                    // stands for other characters; empty: they are errors
};

// The distinct characters of all texts, in the order of their code points, get the ids from 0.
Tokenizer train_char(std::span<const std::string_view> texts, const CharTrainOptions& options = {});

}  // namespace jogak
