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
  std::vector<int64_t> wants;   // scores wanted of each, behind its last tokens; empty: one each
  std::vector<int> sources;     // of an encoder-decoder: one a token, in the cache of sources

  void add(int sequence, std::span<const int> tokens, int source = -1);
};

// What a step needs besides the model. Throws Stopped when the flag is set.
struct StepRun {
  KvCache& cache;
  KvCache* sources = nullptr;
  const std::atomic<bool>* stop = nullptr;
  std::span<const int64_t> wants = {};  // of each sequence, how many of its last; empty: one
};

// The scores that follow the last new token of each sequence, [1, sequences, vocab], where the
// model lies: those of `ids`, the tokens of a step that has begun. With `wants` [1, all wants, V].
Tensor scores_after(const CausalModel& model, const Tensor& ids, CacheStep& rows,
                    const StepRun& how);

// The same from the beginning, f32 on the host.
Tensor last_logits(const CausalModel& model, KvCache& cache, const CachedStep& step,
                   KvCache* sources, const std::atomic<bool>* stop);

// UsageError unless the prompt has tokens, all of them the model's, and leaves room for one more.
void check_prompt(const CausalModel& model, std::span<const int> prompt);

// How many new tokens there may be: `max_new`, where it is not 0, else as many as texts the model
// was made for; never more than the context holds.
int64_t room_for(const CausalModel& model, size_t prompt, int64_t max_new);

}  // namespace jogak
