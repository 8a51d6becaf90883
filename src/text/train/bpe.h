// Trains BPE tokenizers: over bytes, as GPT-2 does, or over characters with SentencePiece's spaces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/train/progress.h"
#include "text/unicode/normal.h"

namespace jogak {

struct BpeTrainOptions {
  int vocab_size = 8192;                      // special tokens and the 256 bytes included
  int64_t min_frequency = 2;                  // of a pair that is merged
  std::vector<std::string> special_tokens{};  // get the first ids, in this order
  bool add_prefix_space = false;              // bytes: a space before every text
  bool metaspace = false;    // characters, spaces written as '▁'; what is rare becomes bytes
  double coverage = 0.9995;  // metaspace: share of the characters that get tokens of their own
  std::optional<text::NormalForm> normal_form{};  // what texts are brought to first
  TrainReport progress{};
};

// Texts are cut into words by GPT-2's pattern, or at spaces; no merge crosses the end of a word or
// text. Over bytes the result is the one PyPI tokenizers' BpeTrainer gives with the bytes as
// initial alphabet. The same texts and options give the same tokenizer.
Tokenizer train_bpe(std::span<const std::string_view> texts, const BpeTrainOptions& options = {});

}  // namespace jogak
