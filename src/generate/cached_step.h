// One pass of a model over new tokens of cached sequences.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/causal_model.h"

namespace jogak {

struct CachedStep {
  std::vector<int> sequences;   // numbers of the cache
  std::vector<int64_t> counts;  // new tokens of each
  std::vector<int64_t> ids;     // those tokens, sequence after sequence
  std::vector<int> sources;     // of an encoder-decoder: one a token, in the cache of sources

  void add(int sequence, std::span<const int> tokens, int source = -1);
};

// The scores that follow the last new token of each sequence, f32 [1, sequences, vocab] on the
// host. Throws Stopped when the flag is set.
Tensor last_logits(const CausalModel& model, KvCache& cache, const CachedStep& step,
                   KvCache* sources, const std::atomic<bool>* stop);

// UsageError unless the prompt has tokens, all of them the model's, and leaves room for one more.
void check_prompt(const CausalModel& model, std::span<const int> prompt);

// How many new tokens there may be: `max_new`, where it is not 0, else as many as texts the model
// was made for; never more than the context holds.
int64_t room_for(const CausalModel& model, size_t prompt, int64_t max_new);

}  // namespace jogak
