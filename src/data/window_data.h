// A long text for a language model, seen through windows of `context` tokens.
#pragma once

#include <span>

#include "data/batch.h"
#include "data/token_file.h"

namespace jogak {

class WindowData {
 public:
  // `seed` decides where the windows of each epoch begin.
  WindowData(TokenFile tokens, int64_t context, uint64_t seed);

  const TokenFile& tokens() const { return tokens_; }
  int64_t context() const { return context_; }

  // --- training: example i of an epoch has ids i * context + shift ... and, one further, targets.
  // The shift is drawn anew for each epoch, so that windows are not cut at the same places twice;
  // it costs at most one window a pass.
  int64_t size() const;  // examples of an epoch; FormatError when the text is too short for one
  int64_t shift(int64_t epoch) const;
  Batch batch(std::span<const Pick> picks) const;  // [B, context]

  // --- evaluation: window i predicts tokens i * context + 1 ... (i + 1) * context from those
  // before them in the window. All windows together predict every token of the text but the very
  // first exactly once. The last window may be shorter; beside longer ones its end is ignored.
  int64_t eval_windows() const;
  int64_t eval_tokens() const { return tokens_.count() - 1; }  // targets of all windows
  Batch eval_batch(int64_t first, int64_t count) const;        // fewer at the end

 private:
  TokenFile tokens_;
  int64_t context_;
  uint64_t seed_;
};

}  // namespace jogak
