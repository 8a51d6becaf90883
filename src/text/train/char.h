// A tokenizer whose tokens are the characters of a text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/train/progress.h"
#include "text/unicode/normal.h"

namespace jogak {

struct CharTrainOptions {
  std::vector<std::string> special_tokens{};  // get the ids after the characters
  std::string unk_token{};                    // stands for other characters; empty: they are errors
  std::optional<text::NormalForm> normal_form{};  // what texts are brought to first
  TrainReport progress{};
};

// The distinct characters of all texts, in the order of their code points, get the ids from 0.
Tokenizer train_char(std::span<const std::string_view> texts, const CharTrainOptions& options = {});

}  // namespace jogak
