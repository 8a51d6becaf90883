#include "data/tag_data.h"

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "data/table.h"

namespace jogak {
namespace {

// Which word each character of the joined words belongs to; -1: the blank between two.
std::vector<int64_t> word_at(const TaggedTexts::Sentence& sentence) {
  std::vector<int64_t> out;
  for (size_t w = 0; w < sentence.words.size(); ++w) {
    if (w > 0) out.push_back(-1);
    out.insert(out.end(), utf8::count(sentence.words[w]), static_cast<int64_t>(w));
  }
  return out;
}

}  // namespace

std::vector<int64_t> words_begun(const Encoding& text, std::span<const int64_t> word_at) {
  std::vector<int64_t> out(text.ids.size(), -1);
  int64_t last = -1;
  for (size_t t = 0; t < text.ids.size(); ++t) {
    const Span span = text.offsets[t];
    if (text.special_mask[t] || span.to <= span.from || span.to > word_at.size()) continue;
    const int64_t word = word_at[span.to - 1];
    if (word > last) out[t] = last = word;
  }
  return out;
}

TagData::TagData(const TaggedTexts& texts, const std::vector<std::string>& classes,
                 const std::function<Encoding(std::string_view)>& encode,
                 const LabelDataOptions& options)
    : options_(options), starts_{0} {
  std::map<std::string, int64_t> ids;
  for (size_t i = 0; i < classes.size(); ++i) ids.emplace(classes[i], static_cast<int64_t>(i));
  const auto most = static_cast<size_t>(options.context);
  for (const TaggedTexts::Sentence& sentence : texts.sentences) {
    const Encoding text = encode(joined_words(sentence));
    const std::vector<int64_t> begun = words_begun(text, word_at(sentence));
    std::vector<int64_t> targets(text.ids.size(), -100);
    for (size_t t = 0; t < begun.size(); ++t) {
      if (begun[t] < 0) continue;
      const std::string& tag = sentence.tags[static_cast<size_t>(begun[t])];
      const auto found = ids.find(tag);
      if (found == ids.end())
        fail<FormatError>(texts.name, ": line ", sentence.line, ": found tag ", shown_cell(tag),
                          " in the sentence that begins here, wanted one of the ", classes.size(),
                          " of the model, the first of which is ",
                          shown_cell(classes.empty() ? "" : classes[0]));
      targets[t] = found->second;
    }
    const size_t kept = std::min(text.ids.size(), most);
    ids_.insert(ids_.end(), text.ids.begin(), text.ids.begin() + static_cast<int64_t>(kept));
    targets_.insert(targets_.end(), targets.begin(), targets.begin() + static_cast<int64_t>(kept));
    if (text.ids.size() > most) {
      ++shortened_;
      ids_.back() = text.ids.back();  // what closes a text
      targets_.back() = -100;
    }
    starts_.push_back(ids_.size());
  }
  words_ =
      static_cast<int64_t>(targets_.size()) - std::count(targets_.begin(), targets_.end(), -100);
  ensure<FormatError>(words_ > 0, texts.name, ": found no word with a token, wanted some");
}

LabelBatch TagData::batch(std::span<const Pick> picks) const {
  std::vector<std::span<const int32_t>> rows;
  for (const Pick& pick : picks) {
    ensure<Error>(pick.index >= 0 && pick.index < size(), "sentence ", pick.index,
                  " asked for, there are ", size());
    const auto i = static_cast<size_t>(pick.index);
    rows.push_back(std::span(ids_).subspan(starts_[i], starts_[i + 1] - starts_[i]));
  }
  LabelBatch out = padded_rows(rows, options_.pad_id);
  const auto width = static_cast<size_t>(out.ids.dim(1));
  std::vector<int64_t> targets(rows.size() * width, -100);
  out.count = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    const size_t start = starts_[static_cast<size_t>(picks[r].index)];
    for (size_t t = 0; t < rows[r].size(); ++t) {
      targets[r * width + t] = targets_[start + t];
      out.count += targets_[start + t] != -100;
    }
  }
  out.targets = from_values(targets, out.ids.shape());
  return out;
}

LabelBatch TagData::eval_batch(int64_t first, int64_t count) const {
  std::vector<Pick> picks;
  for (int64_t i = first; i < std::min(first + count, size()); ++i) picks.push_back({i, 0});
  return batch(picks);
}

}  // namespace jogak
