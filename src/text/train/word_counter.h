// Counts the words of texts, as a tokenizer that is to be trained will cut them.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "text/stages/normalizer.h"
#include "text/stages/pre_tokenizer.h"
#include "text/train/bpe_trainer.h"
#include "text/train/progress.h"

namespace jogak::text {

// Different words in the order they are first seen. Their bytes stay in the texts, except where
// a normalizer or pre-tokenizer made new ones.
class WordCounter {
 public:
  // The normalizer may be null.
  WordCounter(const Normalizer* normalizer, const PreTokenizer& splitter)
      : normalizer_(normalizer), splitter_(splitter) {}

  // FormatError for a text that is not UTF-8.
  void count(std::span<const std::string_view> texts, const TrainReport& report);
  const std::vector<CountedWord>& words() const { return words_; }

 private:
  void add(const Piece& piece);

  const Normalizer* normalizer_;
  const PreTokenizer& splitter_;
  StringIndex index_;
  std::vector<CountedWord> words_;
  std::deque<std::string> own_;
};

// Hands over each text, normalized if there is a normalizer, and reports under the stage's name.
void each_normalized(std::span<const std::string_view> texts, const Normalizer* normalizer,
                     bool origins, const char* stage, const TrainReport& report,
                     FunctionRef<void(const AlignedText&)> take);

// The characters of the words that are needed to cover this share of the text, most frequent
// first; equally frequent ones in the order of their code points.
std::vector<char32_t> covering_characters(std::span<const CountedWord> words, double share);

}  // namespace jogak::text
