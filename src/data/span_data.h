// Questions with answers as batches for a model that says where an answer begins and ends.
#pragma once

#include <span>
#include <vector>

#include "data/label_data.h"
#include "data/question_text.h"
#include "data/question_windows.h"

namespace jogak {

struct SpanBatch : LabelBatch {  // targets i64 [B, 2]: the first and the last token
  Tensor types;                  // i64 [B, T]: which of the two texts; undefined: all 0
};

// Every window of a question's text is an example. Where the answer is not in it, the answer is the
// first token, which is nobody's: as transformers' examples do it.
class SpanData {
 public:
  SpanData(const QuestionTexts& texts, const Tokenizer& tokenizer, const LabelDataOptions& options);

  int64_t size() const { return static_cast<int64_t>(targets_.size()); }
  int64_t questions() const { return questions_; }
  int64_t shortened() const { return 0; }  // long texts become several examples

  SpanBatch batch(std::span<const Pick> picks) const;
  SpanBatch eval_batch(int64_t first, int64_t count) const;  // in order; fewer at the end

 private:
  struct Target {
    int64_t first = 0, last = 0;
  };
  LabelDataOptions options_;
  int64_t questions_ = 0;
  std::vector<Target> targets_;
  std::vector<int32_t> ids_, types_;
  std::vector<size_t> starts_ = {0};  // example i is ids starts_[i] .. starts_[i + 1] - 1
};

}  // namespace jogak
