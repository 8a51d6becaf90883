// What happens to the scores of the next token before one is chosen: the logits processors of
// transformers, in its order. Each looks at one row and the text it continues, never at another
// row, so a text does not depend on its company.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "generate/options.h"

namespace jogak {

// The text a row of scores continues.
struct TextSoFar {
  std::span<const int> tokens;  // prompt and new
  size_t prompt = 0;            // how many of them are the prompt
  std::span<const int> source;  // what the encoder read; of other models the prompt
  int64_t most = 0;             // tokens it may have in the end, the prompt included
  std::span<const int> ends;    // tokens that end it
};

// All of the rules, in place.
void apply(const ScoreRules& rules, const TextSoFar& text, std::span<float> scores);

// The tokens that cannot come, when forbidding them is all the rules do to this row.
std::optional<std::vector<int>> only_forbidden(const ScoreRules& rules, const TextSoFar& text);

// One rule each.
void penalize_repeats(std::span<float> scores, std::span<const int> seen, double penalty);
void penalize_use(std::span<float> scores, std::span<const int> written, double presence,
                  double frequency);
void add_bias(std::span<float> scores, std::span<const int> text,
              std::span<const BiasedSequence> biased);
void remove_invalid(std::span<float> scores);
void grow_ends(std::span<float> scores, std::span<const int> ends, double factor, int64_t steps);
// What would complete an n-gram of `from` after the end of `text`.
void find_repeated_ngrams(std::span<const int> text, std::span<const int> from, int64_t size,
                          std::vector<int>& out);
// What would complete one of the sequences.
void find_completions(std::span<const int> text, std::span<const std::vector<int>> sequences,
                      std::span<const int> ends, std::vector<int>& out);

}  // namespace jogak
