// What generating and training need of a language model, whatever its family.
#pragma once

#include <functional>

#include "nn/cache.h"
#include "nn/run.h"

namespace jogak {

struct CausalModel {
  // ids i64 [B, T] -> logits [B, T, V]. With run.cache set, ids is [1, N], one row per token of
  // run.cache_step, and only the wanted rows come back: [1, wanted, V].
  std::function<Tensor(const Tensor& ids, Run& run)> forward;
  CacheShape cache;     // context included: the longest text there are positions for
  int64_t trained = 0;  // tokens of the texts it was made for; longer ones may read worse; 0: any
  int64_t vocab = 0;
  bool token_types = false;  // whether it reads run.token_types
};

}  // namespace jogak
