// Images with a sentence each, as batches for a model that learns which go together.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/image_data.h"
#include "data/label_data.h"

namespace jogak {

struct CaptionBatch {
  Tensor pixels;      // f32 [B, channels, height, width]
  Tensor ids;         // i64 [B, T], shorter rows filled up with the pad id
  Tensor mask;        // bool [B, T], false for padding; undefined: no row has any
  int64_t count = 0;  // B
};
template <class F>
void each_input(CaptionBatch& b, F f) {
  f(b.pixels), f(b.ids), f(b.mask);
}
inline int64_t counted(const CaptionBatch& b) { return b.count; }

class CaptionData {
 public:
  // Text i belongs to image image_of[i]: an image may have several.
  CaptionData(ImageSet images, std::vector<int64_t> image_of, LabelData texts);

  int64_t size() const { return texts_.size(); }
  int64_t images() const { return images_.size(); }
  int64_t shortened() const { return texts_.shortened(); }
  CaptionBatch batch(std::span<const Pick> picks) const;
  CaptionBatch eval_batch(int64_t first, int64_t count) const;  // in order; fewer at the end

 private:
  ImageSet images_;
  std::vector<int64_t> image_of_;
  LabelData texts_;
};

}  // namespace jogak
