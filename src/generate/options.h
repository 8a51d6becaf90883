// What can be asked of writing: sampling, beam search, translating.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace jogak {

struct SamplingOptions {
  double temperature = 0;     // 0: always the best token, and only the repeat penalty applies
  int64_t top_k = 0;          // keep the k best and their equals; 0: all
  double top_p = 1;           // keep the best until they hold this share of the probability
  double min_p = 0;           // keep what is at least this fraction as likely as the best
  double repeat_penalty = 1;  // scores of tokens seen before: divided, or multiplied if negative
  uint64_t seed = 0;
};

// When the search may end, once `beams` texts are finished.
enum class EarlyStopping : uint8_t {
  no,     // when the best running text, scored at its present length, is worse than all of them
  yes,    // at once
  never,  // when no running text could become better at any length
};

struct BeamOptions {
  int beams = 4;
  int n_best = 1;             // how many texts to return
  double length_penalty = 1;  // score = log probability / length ^ penalty
  EarlyStopping early_stopping = EarlyStopping::no;
  double repeat_penalty = 1;  // applied to log probabilities, as transformers does here
  int64_t max_new = 0;        // most new tokens; 0: until the context is full
  std::vector<int> eos_ids = {};
  std::vector<int> never = {};  // tokens that are never taken: padding
  int forced_end = -1;  // the only token that may come last when max_new is reached; -1: any
};

struct TranslateOptions {
  BeamOptions beam = {};   // its end tokens, `never` and `forced_end` may be left to the model's
  int64_t max_new = 0;     // most tokens of a translation; 0: twice the source's and fifty
  int64_t sentences = 32;  // in one pass
  bool alignment = false;  // also say where in the source each token looked
  int64_t alignment_layer = -1;             // of the decoder; -1: the mean of all
  const std::atomic<bool>* stop = nullptr;  // set it, and Stopped is thrown
  std::function<void(int64_t done, int64_t all)> progress = {};  // sentences finished so far
};

// UsageError: found, wanted.
void check(const SamplingOptions& options);
void check(const BeamOptions& options);

}  // namespace jogak
