// Sentence pairs as batches for an encoder-decoder: pairs of like length share a batch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/pair_text.h"

namespace jogak {

struct PairBatch {
  Tensor source;        // i64 [B, S], shorter rows filled up with the pad id
  Tensor source_mask;   // bool [B, S], false for padding; undefined: no row has any (as key_mask)
  Tensor decoder_ids;   // i64 [B, T]: the start id, then the target without its last id
  Tensor targets;       // i64 [B, T], kIgnored where a shorter row is filled up
  int64_t tokens = 0;   // targets that count
  int64_t padding = 0;  // filled-up places of source and targets together
  std::vector<int64_t> positions;  // which of the given pairs each row is, from 0
};
template <class F>
void each_input(PairBatch& b, F f) {
  f(b.source), f(b.source_mask), f(b.decoder_ids), f(b.targets);
}
inline int64_t counted(const PairBatch& b) { return b.tokens; }

struct PairOptions {
  // Exactly one of the two. A batch of `rows` pairs never has more than batch_tokens places a side:
  // rows * max(longest source, longest target) <= batch_tokens.
  int64_t batch_tokens = 0;
  int64_t batch_sentences = 0;
  int64_t max_source = 0, max_target = 0;  // most ids of a side, its end included; 0: any
  int pad_id = 0;
  int start_id = 0;   // what the decoder reads first
  uint64_t seed = 0;  // with the epoch: which pairs share a batch
};

class PairData {
 public:
  // The two functions give ids that end with the end token. Pairs with an empty side, and pairs
  // too long for max_source, max_target or batch_tokens, are left out: counted, and reported in
  // one warning each. FormatError when nothing is left.
  PairData(const Pairs& pairs, const Encode& encode_source, const Encode& encode_target,
           const PairOptions& options);
  ~PairData();
  PairData(PairData&&) noexcept;

  int64_t size() const { return static_cast<int64_t>(examples_.size()); }  // pairs in use
  int64_t empty() const { return empty_; }                                 // left out
  int64_t too_long() const { return too_long_; }                           // left out
  int64_t source_tokens() const { return source_tokens_; }  // of the pairs in use, with ends
  int64_t target_tokens() const { return target_tokens_; }

  // Training: every pair is in one batch of an epoch. The number of batches and of their rows is
  // the same in every epoch; which pairs of like length share a batch follows from (seed, epoch).
  // May be called from several threads.
  int64_t batches() const { return static_cast<int64_t>(starts_.size()) - 1; }
  PairBatch batch(Pick pick) const;  // pick.index: of the batch

  // The same number of batches in order of length, always the same; `positions` puts results back.
  PairBatch eval_batch(int64_t index) const;

  double padding_waste() const;  // filled-up places / all places of the first epoch
  std::string describe() const;  // one line for a person; changes when the data does
  int64_t longest_target() const;

 private:
  struct Example {
    size_t begin = 0;                // in ids_: the source, then the target
    int32_t source = 0, target = 0;  // how many ids each has
    int64_t position = 0;
    int32_t longest() const { return source > target ? source : target; }
  };
  class Orders;  // the latest epochs' orders

  void take(const Pairs& pairs, const Encode& encode_source, const Encode& encode_target);
  void cut();
  std::vector<uint32_t> epoch_order(int64_t epoch) const;
  PairBatch make(int64_t index, const std::vector<uint32_t>* order) const;

  std::string name_;
  PairOptions options_;
  std::vector<int32_t> ids_;
  std::vector<Example> examples_;  // in order of length
  std::vector<size_t> starts_;     // batch b is examples starts_[b] .. starts_[b + 1] - 1
  int64_t empty_ = 0, too_long_ = 0, source_tokens_ = 0, target_tokens_ = 0;
  std::unique_ptr<Orders> orders_;
};

}  // namespace jogak
