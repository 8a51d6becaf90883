#include "data/caption_data.h"

#include <algorithm>

namespace jogak {

CaptionData::CaptionData(ImageSet images, std::vector<int64_t> image_of, LabelData texts)
    : images_(std::move(images)), image_of_(std::move(image_of)), texts_(std::move(texts)) {
  ensure<Error>(static_cast<int64_t>(image_of_.size()) == texts_.size(), "found ", texts_.size(),
                " captions and ", image_of_.size(), " images of them, wanted as many of both");
}

CaptionBatch CaptionData::batch(std::span<const Pick> picks) const {
  const LabelBatch texts = texts_.batch(picks);
  std::vector<Pick> pictures(picks.begin(), picks.end());
  for (Pick& pick : pictures) pick.index = image_of_[static_cast<size_t>(pick.index)];
  return {images_.batch(pictures).pixels, texts.ids, texts.mask, texts.count};
}

CaptionBatch CaptionData::eval_batch(int64_t first, int64_t count) const {
  std::vector<Pick> picks;
  for (int64_t i = first; i < std::min(first + count, size()); ++i) picks.push_back({i, 0});
  return batch(picks);
}

}  // namespace jogak
