// Text in which some tokens were put in place of others, and a model says which: how ELECTRA
// learns. What is put in is drawn by a model of masked text, or at random.
#pragma once

#include <optional>

#include "app/data/encoder_data.h"

namespace jogak {

struct ReplacedBatch {
  Tensor ids;         // i64 [B, T]
  Tensor mask;        // bool [B, T], false for padding; undefined: no row has any
  Tensor replaced;    // i64 [B, T]: 1 where the token is another than it was, -100 for padding
  int64_t count = 0;  // tokens that are not padding
};
EncoderBatch encoder_batch(const ReplacedBatch& batch);

class ReplacedData {
 public:
  // `hidden` hides every token that it chooses where there is a generator, else it puts in others.
  // The generator must outlive this.
  ReplacedData(MaskedData hidden, const EncoderModel* generator, uint64_t seed)
      : hidden_(std::move(hidden)), generator_(generator), seed_(seed) {}

  int64_t size() const { return hidden_.size(); }
  int64_t eval_size() const { return hidden_.eval_size(); }
  int64_t tokens() const { return hidden_.tokens(); }
  // What is drawn follows from (seed, epoch, example) alone.
  ReplacedBatch batch(std::span<const Pick> picks) const {
    return replaced(hidden_.batch(picks), picks);
  }
  ReplacedBatch eval_batch(int64_t first, int64_t count) const;

 private:
  ReplacedBatch replaced(const MaskedBatch& masked, std::span<const Pick> picks) const;

  MaskedData hidden_;
  const EncoderModel* generator_;
  uint64_t seed_;
};

}  // namespace jogak
