// The scores of the next tokens of running sequences. On a device that records, a step of one token
// for each of so many sequences is recorded when it was taken once and only started from then on:
// what changes from step to step, the tokens and where the cache keeps them, is written into the
// tables that the recorded kernels read.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "generate/cached_step.h"

namespace jogak {

struct NextScores {
  Tensor logits;  // [1, wanted, vocab], where the model lies; the next step overwrites them
  Tensor best;    // i64 [1, wanted], by argmax_finite
};

class Scorer {
 public:
  // All three stay where they are for as long as the scorer lives.
  Scorer(const CausalModel& model, KvCache& cache, const std::atomic<bool>* stop)
      : model_(model), cache_(cache), stop_(stop) {}

  NextScores operator()(const CachedStep& step);

 private:
  struct Kept {  // of steps of one token for each of so many sequences
    CacheStep rows;
    Tensor ids;
    NextScores scores;
    std::unique_ptr<Recorded> work;
    uint64_t used = 0;  // the later, the larger
  };
  NextScores after(const Tensor& ids, CacheStep& rows, std::span<const int64_t> wants = {});
  NextScores one_more_each(const CachedStep& step);
  Kept& kept_for(size_t sequences);

  const CausalModel& model_;
  KvCache& cache_;
  const std::atomic<bool>* stop_;
  bool records_ = true;  // until the device says otherwise
  uint64_t steps_ = 0;
  std::map<size_t, Kept> kept_;
};

}  // namespace jogak
