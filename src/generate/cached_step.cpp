#include "generate/cached_step.h"

#include <algorithm>

#include "autograd/autograd.h"

namespace jogak {

void CachedStep::add(int sequence, std::span<const int> tokens, int source) {
  sequences.push_back(sequence);
  counts.push_back(static_cast<int64_t>(tokens.size()));
  ids.insert(ids.end(), tokens.begin(), tokens.end());
  if (source >= 0) sources.insert(sources.end(), tokens.size(), source);
}

Tensor scores_after(const CausalModel& model, const Tensor& ids, CacheStep& rows,
                    const StepRun& how) {
  ensure<Stopped>(!how.stop || !how.stop->load(std::memory_order_relaxed), "stopped");
  const NoGrad no_grad;
  rows.wanted.clear();
  size_t sequence = 0;
  for (size_t r = 1; r <= rows.sequences.size(); ++r) {  // the last of each sequence
    if (r < rows.sequences.size() && rows.sequences[r] == rows.sequences[r - 1]) continue;
    const int64_t count = how.wants.empty() ? 1 : how.wants[sequence++];
    for (int64_t i = count; i > 0; --i) rows.wanted.push_back(static_cast<int64_t>(r) - i);
  }
  Run run;
  run.stop = how.stop;
  run.cache = &how.cache;
  run.cache_step = &rows;
  run.sources = how.sources;
  const Tensor logits = model.forward(ids, run);
  const Shape wanted{1, std::ssize(rows.wanted), model.vocab};
  ensure<ShapeError>(logits.shape() == wanted, "generate: found scores of shape ", logits.shape(),
                     ", wanted ", wanted);
  return logits;
}

Tensor last_logits(const CausalModel& model, KvCache& cache, const CachedStep& step,
                   KvCache* sources, const std::atomic<bool>* stop) {
  CacheStep rows = cache.begin(step.sequences, step.counts);
  if (sources) rows.sources = sources->over(step.sources);
  const Tensor ids = from_values(step.ids, {1, rows.rows()}, cache.device());
  const Tensor logits = scores_after(model, ids, rows, {cache, sources, stop});
  return dense(to_device(cast(logits, DType::f32), cpu_device()));
}

void check_prompt(const CausalModel& model, std::span<const int> prompt) {
  ensure<UsageError>(!prompt.empty(), "prompt: found no tokens, wanted at least one");
  for (size_t i = 0; i < prompt.size(); ++i)
    ensure<UsageError>(prompt[i] >= 0 && prompt[i] < model.vocab, "prompt: found the token ",
                       prompt[i], " at place ", i, ", wanted 0 to ", model.vocab - 1,
                       ": the tokenizer has more tokens than the model");
  const int64_t most = model.cache.context - 1;
  ensure<UsageError>(static_cast<int64_t>(prompt.size()) <= most, "prompt: found ", prompt.size(),
                     " tokens, wanted at most ", most, ": the model's context is ",
                     model.cache.context, " tokens, one of them new");
}

int64_t room_for(const CausalModel& model, size_t prompt, int64_t max_new) {
  ensure<UsageError>(max_new >= 0, "new tokens: found ", max_new, ", wanted a number from 0");
  const auto used = static_cast<int64_t>(prompt);
  const int64_t room = model.cache.context - used;
  if (max_new > 0) return std::min(max_new, room);
  return model.trained > used ? std::min(model.trained - used, room) : room;
}

}  // namespace jogak
