// Texts with labels as batches for a classifier.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/batch.h"

namespace jogak {

struct LabelBatch {
  Tensor ids;         // i64 [B, T], shorter rows filled up with the pad id
  Tensor mask;        // bool [B, T], false for padding; undefined: no row has any
  Tensor targets;     // i64 [B]
  int64_t count = 0;  // B
};

struct LabelDataOptions {
  int64_t context = 0;  // most ids of a text; longer ones are cut, their last id stays
  int pad_id = 0;
};

class LabelData {
 public:
  // `encode` puts the special tokens around a text. Texts that were cut are counted.
  LabelData(const std::vector<std::string>& texts, std::vector<int64_t> labels,
            const Encode& encode, const LabelDataOptions& options);

  int64_t size() const { return static_cast<int64_t>(labels_.size()); }
  int64_t shortened() const { return shortened_; }
  const std::vector<int64_t>& labels() const { return labels_; }

  LabelBatch batch(std::span<const Pick> picks) const;
  LabelBatch eval_batch(int64_t first, int64_t count) const;  // in order; fewer at the end

 private:
  LabelDataOptions options_;
  std::vector<int64_t> labels_;
  std::vector<int32_t> ids_;
  std::vector<size_t> starts_;  // text i is ids starts_[i] .. starts_[i + 1] - 1
  int64_t shortened_ = 0;
};

// Rows of ids filled up to the longest: ids and mask of a LabelBatch, for whoever has no labels.
LabelBatch padded_rows(const std::vector<std::span<const int32_t>>& rows, int pad_id);

}  // namespace jogak
