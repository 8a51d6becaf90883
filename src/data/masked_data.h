// Masked text: some tokens are hidden, and the model says which they were.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/token_file.h"

namespace jogak {

// As BERT: of the tokens of a text `share` are chosen; of those 80 % become the mask token, 10 %
// any other token, 10 % stay. Only the chosen ones count.
struct Masking {
  int mask_id = 0;
  int pad_id = 0;
  std::vector<int> opening = {}, closing = {};  // around every example, never chosen: [CLS], [SEP]
  std::vector<bool> special = {};               // by id: never chosen, never put in
  int64_t vocab = 0;
  double share = 0.15, masked = 0.8, random = 0.1;
  uint64_t seed = 0;
};

struct MaskedBatch {
  Tensor ids;          // i64 [B, T], shorter rows filled up with the pad id
  Tensor mask;         // bool [B, T], false for padding; undefined: no row has any
  Tensor wanted;       // i64 [N]: places (of B * T) to predict, in order
  Tensor targets;      // i64 [N]: what stood there
  int64_t tokens = 0;  // N
};

// Examples of a long text or of lines. What is chosen follows from (seed, epoch, example) alone:
// the same in every run, resumed or not, and different in every epoch. Every example has at least
// one chosen token.
class MaskedData {
 public:
  // Windows of `context` tokens with opening and closing, one behind the other; in each epoch they
  // begin a little further on. The last, shorter one is used by evaluation alone.
  MaskedData(TokenFile tokens, int64_t context, Masking masking);
  // A line is an example; longer ones are cut, and counted. Empty ones are passed over.
  MaskedData(const std::vector<std::string>& lines, const std::string& name, const Encode& encode,
             int64_t context, Masking masking);

  int64_t size() const;  // examples of an epoch; FormatError when a text has none
  int64_t eval_size() const;
  int64_t tokens() const;  // of the text
  int64_t shortened() const { return shortened_; }
  MaskedBatch batch(std::span<const Pick> picks) const;
  MaskedBatch eval_batch(int64_t first, int64_t count) const;  // the same choice every time

 private:
  std::vector<int64_t> example(int64_t index, int64_t epoch, bool evaluation) const;
  MaskedBatch make(std::span<const Pick> picks, bool evaluation) const;

  Masking masking_;
  std::string name_;
  int64_t room_ = 0;  // tokens of an example without opening and closing
  std::optional<TokenFile> text_;
  std::vector<int32_t> ids_;    // of lines
  std::vector<size_t> starts_;  // line i is ids starts_[i] .. starts_[i + 1] - 1
  int64_t shortened_ = 0;
};

}  // namespace jogak
