#include "data/label_data.h"

#include <algorithm>
#include <memory>

namespace jogak {

LabelBatch padded_rows(const std::vector<std::span<const int32_t>>& rows, int pad_id) {
  ensure<Error>(!rows.empty(), "a batch of no examples asked for");
  size_t width = 1;
  bool even = true;
  for (const auto& row : rows) width = std::max(width, row.size());
  for (const auto& row : rows) even = even && row.size() == width;
  std::vector<int64_t> ids(rows.size() * width, pad_id);
  const auto mask = std::make_unique<bool[]>(ids.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    std::copy(rows[r].begin(), rows[r].end(), ids.begin() + static_cast<int64_t>(r * width));
    std::fill_n(mask.get() + r * width, rows[r].size(), true);
  }
  const Shape shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)};
  LabelBatch out;
  out.ids = from_values(ids, shape);
  if (!even) out.mask = from_values(std::span<const bool>(mask.get(), ids.size()), shape);
  out.count = static_cast<int64_t>(rows.size());
  return out;
}

LabelData::LabelData(const std::vector<std::string>& texts, std::vector<int64_t> labels,
                     const Encode& encode, const LabelDataOptions& options)
    : options_(options), labels_(std::move(labels)) {
  ensure<Error>(texts.size() == labels_.size(), "found ", texts.size(), " texts and ",
                labels_.size(), " labels, wanted as many of both");
  ensure<Error>(options.context >= 2, "texts in a context of ", options.context,
                " tokens, wanted at least two");
  const auto most = static_cast<size_t>(options.context);
  starts_.push_back(0);
  for (const std::string& text : texts) {
    const std::vector<int> ids = encode(text);
    for (const int id : ids)
      ensure<Error>(id >= 0, "the tokenizer gave id ", id, ", wanted 0 or more");
    ids_.insert(ids_.end(), ids.begin(),
                ids.begin() + static_cast<int64_t>(std::min(ids.size(), most)));
    if (ids.size() > most) {
      ++shortened_;
      ids_.back() = ids.back();  // what closes a text
    }
    starts_.push_back(ids_.size());
  }
}

LabelBatch LabelData::batch(std::span<const Pick> picks) const {
  std::vector<std::span<const int32_t>> rows;
  std::vector<int64_t> targets;
  for (const Pick& pick : picks) {
    ensure<Error>(pick.index >= 0 && pick.index < size(), "text ", pick.index,
                  " asked for, there are ", size());
    const auto i = static_cast<size_t>(pick.index);
    rows.push_back(std::span(ids_).subspan(starts_[i], starts_[i + 1] - starts_[i]));
    targets.push_back(labels_[i]);
  }
  LabelBatch out = padded_rows(rows, options_.pad_id);
  out.targets = from_values(targets, {out.count});
  return out;
}

LabelBatch LabelData::eval_batch(int64_t first, int64_t count) const {
  std::vector<Pick> picks;
  for (int64_t i = first; i < std::min(first + count, size()); ++i) picks.push_back({i, 0});
  return batch(picks);
}

}  // namespace jogak
