// Trains a WordPiece tokenizer, as BERT uses it.
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

struct WordPieceTrainOptions {
  int vocab_size = 8192;                      // special tokens included
  int64_t min_frequency = 2;                  // of a pair that is merged
  std::vector<std::string> special_tokens{};  // none: [PAD], [UNK], [CLS], [SEP], [MASK]
  std::string unk_token = "[UNK]";            // stands for unknown words; special too
  double coverage = 0.9999;                   // share of the characters that are known
  bool lowercase = false;                     // accents stay: Korean must not be taken apart
  std::optional<text::NormalForm> normal_form{};
  TrainReport progress{};
};

// Words and punctuation, cut into the longest pieces. The pieces are those that merging frequent
// pairs gives, as in PyPI tokenizers. [CLS] and [SEP] go around texts where they are special.
Tokenizer train_word_piece(std::span<const std::string_view> texts,
                           const WordPieceTrainOptions& options = {});

}  // namespace jogak
