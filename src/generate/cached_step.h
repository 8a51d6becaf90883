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

  void add(int sequence, std::span<const int> tokens);
};

// The scores that follow the last new token of each sequence, [sequences, vocab]. Throws Stopped
// when the flag is set.
std::vector<float> last_logits(const CausalModel& model, KvCache& cache, const CachedStep& step,
                               const std::atomic<bool>* stop);

// UsageError unless the prompt has tokens, all of them the model's, and leaves room for one more.
void check_prompt(const CausalModel& model, std::span<const int> prompt);

// How many new tokens there may be: `max_new`, where it is not 0, and no more than the context
// holds.
int64_t room_for(const CausalModel& model, size_t prompt, int64_t max_new);

}  // namespace jogak
