// What translating and training need of an encoder-decoder, whatever its family.
#pragma once

#include <functional>
#include <vector>

#include "nn/causal_model.h"

namespace jogak {

// Sentences to read, padded at their ends.
struct Source {
  Tensor ids;   // i64 [B, S]
  Tensor mask;  // bool [B, S], false for padding; undefined: no padding
};

struct Seq2SeqModel {
  std::function<Tensor(const Source& source, Run& run)> encode;  // -> memory [B, S, C]
  // ids i64 [B, T] after the encoded source -> logits [B, T, V].
  std::function<Tensor(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run)>
      decode;
  // What those logits are read from, [B, T, C], alone: for a probe that looks at the way there.
  std::function<Tensor(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run)>
      hidden;
  // The same logits of what any layer of the decoder made, as if it were the last.
  std::function<Tensor(const Tensor& hidden)> read;
  // The sum of the losses of the targets that count (i64 [B, T], -100: not), ready for backward.
  std::function<Tensor(const Source& source, const Tensor& ids, const Tensor& targets,
                       double label_smoothing, Run& run)>
      loss_sum;
  // Keys and values of the encoded sources become sequences of `sources`, as many tokens long as
  // `lengths` says; their numbers come back.
  std::function<std::vector<int>(const Tensor& memory, const std::vector<int64_t>& lengths,
                                 KvCache& sources)>
      remember;
  // The decoder over run.cache and run.sources, token by token.
  CausalModel decoder;
  CacheShape sources;  // shape of the cache `remember` fills; context: longest source
  int64_t source_vocab = 0;
  int start = 0, end = 0, pad = 0;  // token ids
};

}  // namespace jogak
