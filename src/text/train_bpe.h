// Trains a byte-level BPE tokenizer.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace jogak {

struct TrainProgress {
  const char* stage;    // "counting words", "merging"
  int64_t done, total;  // texts, then tokens of the vocabulary
};

struct BpeTrainOptions {
  int vocab_size = 8192;                      // special tokens and the 256 bytes included
  int64_t min_frequency = 2;                  // of a pair that is merged
  std::vector<std::string> special_tokens{};  // get the first ids, in this order
  bool add_prefix_space = false;
  std::function<void(const TrainProgress&)> progress{};
};

// Texts are cut into words by GPT-2's pattern; no merge crosses the end of a word or text.
// The result is the one PyPI tokenizers' BpeTrainer gives with the bytes as initial alphabet.
Tokenizer train_bpe(std::span<const std::string_view> texts, const BpeTrainOptions& options = {});

}  // namespace jogak
