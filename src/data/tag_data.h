// Sentences with tags as batches for a model that labels tokens.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/label_data.h"
#include "data/tagged_text.h"
#include "text/encoding.h"

namespace jogak {

// For each token the number of the word that it is the first of, or -1. `word_at` says which word
// each character of the text belongs to, -1: none; a token belongs to the word it ends in.
std::vector<int64_t> words_begun(const Encoding& text, std::span<const int64_t> word_at);

// The first token of a word has its tag, every other -100, as transformers' examples do it.
class TagData {
 public:
  // `encode` puts the special tokens around a sentence, whose words are parted by blanks.
  // FormatError with the line for a tag that is no class.
  TagData(const TaggedTexts& texts, const std::vector<std::string>& classes,
          const std::function<Encoding(std::string_view)>& encode, const LabelDataOptions& options);

  int64_t size() const { return static_cast<int64_t>(starts_.size()) - 1; }
  int64_t shortened() const { return shortened_; }  // sentences that were cut
  int64_t words() const { return words_; }          // that have a token

  // targets are i64 [B, T], count is how many of them count.
  LabelBatch batch(std::span<const Pick> picks) const;
  LabelBatch eval_batch(int64_t first, int64_t count) const;  // in order; fewer at the end

 private:
  LabelDataOptions options_;
  std::vector<int32_t> ids_;
  std::vector<int64_t> targets_;
  std::vector<size_t> starts_;  // sentence i is ids starts_[i] .. starts_[i + 1] - 1
  int64_t shortened_ = 0, words_ = 0;
};

}  // namespace jogak
