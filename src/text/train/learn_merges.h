// What training a BPE and a WordPiece tokenizer have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/models/merges.h"
#include "text/models/vocab.h"
#include "text/train/bpe_trainer.h"
#include "text/train/progress.h"
#include "text/unicode/code_table.h"

namespace jogak::text {

struct Learned {
  Vocab vocab;
  std::vector<MergeTable::Merge> merges{};

  int id_of(std::string_view token);  // gives it the next id when it is new
};

// The special tokens get the first ids. UsageError when one is empty or comes twice.
Vocab special_vocab(std::span<const std::string> special);

// Single characters as tokens: those that cover a share of the text, most frequent first, as many
// as fit. With a prefix, a character inside a word is another token than one that opens it; each
// is made where it was seen.
class CharacterIds {
 public:
  struct Options {
    double coverage = 1;
    int vocab_size = 0;
    std::string prefix{};
  };
  CharacterIds(std::span<const CountedWord> words, const Options& options, Learned& out);
  // The starting ids of a word; kEdge for characters without a token.
  void spell(std::string_view word, std::vector<int>& symbols) const;

 private:
  CodeTable<int> first_, inside_;  // id + 1; 0: none
};

struct LearnOptions {
  int vocab_size;
  int64_t min_frequency;
  std::string prefix;  // of tokens inside a word; a merge leaves it out of its right part
};

// Merges the most frequent pair again and again, until the vocabulary is full.
void learn_merges(std::span<const CountedWord> words, BpeTrainer::Spell spell,
                  const LearnOptions& options, const TrainReport& report, Learned& out);

// A pair that was merged in two goes keeps its last rank, as in the reference.
MergeTable ranked(const std::vector<MergeTable::Merge>& merges);

}  // namespace jogak::text
